internal import Platform
internal import TerminalUI

/// Shows the events of the terminal, and ends in the different ways in which a process can end. Tests control it.
@main
struct Exerciser {
    static func main() async throws {
        let terminal = try Terminal.open(usesColor: true, usesMouse: true)
        var lines: [String] = []
        func show(_ text: String) {
            lines.append(text)
            var frame = Frame(terminal.size)
            for (row, line) in lines.enumerated() { frame.write(line, row: row, column: 0, style: .bold) }
            frame.caret = ScreenPosition(row: lines.count, column: 0)
            terminal.draw(frame)
        }
        show("ready")
        if CommandLine.arguments.contains("--deaf") {
            // The process does not read the events.
            while true { pause() }
        }
        for await event in terminal.events {
            switch event {
            case .key(.control("c")):
                terminal.close()
                print("closed")
                return
            case .key(.control("z")): terminal.suspend()
            case .key(.character("x")): exit(3)
            case .key(.character("n")): try crash(by: UnsafeMutablePointer(bitPattern: 8))
            case .key(.character("t")): trap(on: CommandLine.arguments)
            case .key(.character("a")): abort()
            case .key(let key): show("key \(key)")
            case .resized(let size): show("size \(size.columns) \(size.rows)")
            case .resumed: show("resumed")
            case .ended(let signal): print("ended by \(signal)")
            case .closed: print("gone")
            }
        }
    }

    private static func crash(by address: UnsafeMutablePointer<Int>?) throws { address?.pointee = 1 }

    private static func trap(on arguments: [String]) { print(arguments[arguments.count + 1]) }
}
