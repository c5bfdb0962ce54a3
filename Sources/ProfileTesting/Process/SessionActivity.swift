internal import Glibc

/// What every thread of a session's processes is doing at a moment, as `/proc` tells it (proc(5)).
///
/// Threads are looked at one after another, so one look proves nothing: a thread may wake another that was looked at
/// before, and go to sleep. Two looks that are equal do: a thread that ran in between has a higher count of switches.
struct SessionActivity: Equatable {
    private var threads: [Thread] = []

    private struct Thread: Equatable {
        let id: Int
        /// `S` for one that waits, `R` for one that runs, `T` for one that is stopped, …
        let state: String
        /// How often it has gone to sleep or been put aside.
        let switches: [String]
    }

    /// Looks at the processes of a session.
    ///
    /// - Returns: nil where `/proc` shows none of them.
    init?(session: pid_t) {
        for process in Self.numbers(in: "/proc") where Self.session(of: process) == session {
            for thread in Self.numbers(in: "/proc/\(process)/task") {
                if let thread = Self.thread(thread, of: process) { threads.append(thread) }
            }
        }
        if threads.isEmpty { return nil }
    }

    /// Whether every thread waits for something, is stopped, or has ended.
    var isAsleep: Bool { threads.allSatisfy { ["S", "T", "t", "Z", "X", "I"].contains($0.state) } }

    private static func thread(_ id: Int, of process: Int) -> Thread? {
        guard let status = SmallFile.text(of: "/proc/\(process)/task/\(id)/status") else { return nil }
        var state = "?"
        var switches: [String] = []
        for line in status.split(separator: "\n") {
            if line.hasPrefix("State:") {
                state = line.split(whereSeparator: \.isWhitespace).dropFirst().first.map(String.init) ?? "?"
            } else if line.contains("ctxt_switches:") {
                switches.append(String(line))
            }
        }
        return Thread(id: id, state: state, switches: switches)
    }

    private static func session(of process: Int) -> pid_t? {
        // A name in parentheses, which may have spaces and parentheses of its own, then state, parent, group, session.
        guard let status = SmallFile.text(of: "/proc/\(process)/stat"), let end = status.lastIndex(of: ")") else {
            return nil
        }
        let fields = status[end...].split(separator: " ").dropFirst(4)
        return fields.first.flatMap { pid_t($0) }
    }

    private static func numbers(in directory: String) -> [Int] {
        SmallFile.names(in: directory).compactMap { Int($0) }.sorted()
    }
}
