/// The terminal as a screen for frames and a source of keys.
package final class Terminal: Sendable {
    package let events: AsyncStream<TerminalEvent>

    private init() { (events, _) = AsyncStream.makeStream() }

    package static func open(usesColor: Bool) throws(TerminalError) -> Terminal { throw .noTerminal }

    package var size: ScreenSize { ScreenSize(columns: 80, rows: 24) }

    package func draw(_ frame: Frame) {}

    package func suspend() {}

    package func close() {}
}
