internal import Platform

/// A snapshot of all threads in all processes of a session, read from `/proc` (proc(5)).
///
/// Threads are read one after another, so a single snapshot does not prove that all threads sleep. For example, thread
/// A is read while it sleeps. Then thread B wakes A, and sleeps before B is read. If two snapshots are equal, no thread
/// ran between them: a thread that runs increases its number of context switches.
struct SessionActivity: Equatable {
    private var threads: [Thread] = []

    private struct Thread: Equatable {
        let id: Int
        /// The state of the thread in proc(5): `S` means waiting, `R` running, `T` stopped, …
        let state: String
        /// The counts of voluntary and involuntary context switches.
        let switches: [String]
    }

    /// Reads the threads of a session's processes.
    ///
    /// - Returns: Nil if `/proc` shows no thread of the session.
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
