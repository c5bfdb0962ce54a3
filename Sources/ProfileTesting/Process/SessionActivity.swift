internal import Platform

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
        for process in RunningProcess.all.sorted(by: { $0.id < $1.id }) where process.session == session {
            for thread in SmallFile.names(in: "/proc/\(process.id)/task").compactMap({ Int($0) }).sorted() {
                if let thread = Self.thread(thread, of: process.id) { threads.append(thread) }
            }
        }
        if threads.isEmpty { return nil }
    }

    /// Whether every thread waits for something, is stopped, or has ended.
    var isAsleep: Bool { threads.allSatisfy { ["S", "T", "t", "Z", "X", "I"].contains($0.state) } }

    private static func thread(_ id: Int, of process: pid_t) -> Thread? {
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
}
