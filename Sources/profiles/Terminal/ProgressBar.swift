internal import ProfileStore
internal import ProfileTransfer
internal import Threads

/// A line on standard error that shows the progress of a command. It is drawn at most ten times a second.
///
/// There is no bar without a terminal, or with `--quiet`, `NO_COLOR` or `TERM=dumb`.
final class ProgressBar: Sendable {
    private struct State {
        var nextDrawing: ContinuousClock.Instant
        var isDrawn = false
    }

    private let byteCount: UInt64?
    private let start = ContinuousClock.now
    private let state: Locked<State>

    /// Creates a bar. Returns nil if no bar may be drawn. `byteCount` is the size of the input in bytes; nil if it is
    /// unknown, as for a pipe.
    init?(byteCount: UInt64? = nil, isQuiet: Bool) {
        guard !isQuiet, Output.error.takesControlCodes else { return nil }
        self.byteCount = byteCount
        state = Locked(State(nextDrawing: start))
    }

    func update(_ progress: ImportProgress) { draw { self.line(progress, after: $0) } }

    /// Shows the progress of work that is counted in profiles.
    func update(checked: Int) { draw { Self.count(checked, "profile") + " checked, " + Self.rate(checked, after: $0) } }

    func update(_ progress: StoreCopy.Progress) {
        draw { elapsed in
            switch progress {
            case .copied(let count, let total):
                Self.bar(Double(count) / Double(max(1, total))) + "  " + Self.count(count, "profile") + " copied, "
                    + Self.rate(count, after: elapsed)
            case .compared(let count, let total):
                Self.bar(min(1, Double(count) / Double(max(1, total)))) + "  " + Self.count(count, "profile")
                    + " compared"
            }
        }
    }

    /// Clears the line for the output that follows.
    func end() {
        state.withLock { state in
            if state.isDrawn { Output.error.draw("\r\u{1B}[K") }
            state.isDrawn = false
            state.nextDrawing = ContinuousClock.now + .seconds(1_000_000)
        }
    }

    private func draw(_ line: (_ elapsed: Double) -> String) {
        state.withLock { state in
            let now = ContinuousClock.now
            guard now >= state.nextDrawing else { return }
            state.nextDrawing = now + .milliseconds(100)
            state.isDrawn = true
            let columns = (Output.error.windowSize?.columns ?? 80) - 1
            Output.error.draw("\r" + line((now - start).seconds).prefix(max(10, columns)) + "\u{1B}[K")
        }
    }

    private func line(_ progress: ImportProgress, after elapsed: Double) -> String {
        var parts: [String] = []
        let fraction = fraction(of: progress)
        if let fraction { parts.append(Self.bar(fraction)) }
        parts.append(Self.count(progress.rows, "row"))
        if progress.rejected > 0 { parts.append("\(progress.rejected) rejected") }
        if let hashed = progress.hashed {
            let (done, total) = (hashed.done, hashed.total)
            parts.append("\(done) of \(Self.count(total, "password")) hashed")
        } else if elapsed > 0 {
            parts.append(Self.decimal(Double(progress.bytes) / 1_000_000 / elapsed) + " MB/s")
        }
        if let fraction, fraction > 0, fraction < 1 { parts.append("ETA " + Self.clock(elapsed / fraction - elapsed)) }
        return parts.joined(separator: "  ")
    }

    /// The completed part of the work, from 0 to 1. If the input contains passwords, this is the share of passwords
    /// that are already hashed, because hashing takes much longer than reading. The number of passwords in the
    /// remaining rows is estimated from the rows that were read.
    private func fraction(of progress: ImportProgress) -> Double? {
        guard let byteCount, byteCount > 0 else { return nil }
        let read = min(1, Double(progress.bytes) / Double(byteCount))
        guard let hashed = progress.hashed, hashed.total > 0 else { return read }
        let (done, total) = (hashed.done, hashed.total)
        return min(1, Double(done) / Double(total)) * read
    }

    private static func bar(_ fraction: Double) -> String {
        let width = 20
        let full = Int(fraction * Double(width))
        let percent = String(Int(fraction * 100))
        return String(repeating: "█", count: full) + String(repeating: "░", count: width - full) + " "
            + String(repeating: " ", count: max(0, 3 - percent.count)) + percent + "%"
    }

    private static func count(_ number: Int, _ noun: String) -> String { "\(number) \(noun)\(number == 1 ? "" : "s")" }

    private static func rate(_ number: Int, after elapsed: Double) -> String {
        elapsed > 0 ? decimal(Double(number) / elapsed / 1_000) + " thousand/s" : ""
    }

    /// Returns the number with one digit after the decimal point.
    private static func decimal(_ number: Double) -> String {
        let tenths = Int(min(max(0, number), 1e9) * 10)
        return "\(tenths / 10).\(tenths % 10)"
    }

    /// Returns a time as minutes and seconds, such as `2:05`.
    private static func clock(_ seconds: Double) -> String {
        let whole = Int(min(max(0, seconds), 359_999))
        return "\(whole / 60):\(whole % 60 < 10 ? "0" : "")\(whole % 60)"
    }
}

extension Duration {
    fileprivate var seconds: Double { Double(components.seconds) + Double(components.attoseconds) / 1e18 }
}
