internal import Platform

/// A process of this machine, read from `/proc` (proc(5)).
package struct RunningProcess {
    let id: pid_t
    let parent: pid_t
    let session: pid_t

    /// The running processes.
    static var all: [RunningProcess] {
        SmallFile.names(in: "/proc").compactMap { pid_t($0) }.compactMap { RunningProcess($0) }
    }

    /// Kills all descendants of this process.
    package static func killDescendants() {
        let all = all
        var family = [getpid()]
        var generation = family[...]
        while !generation.isEmpty {
            family += all.filter { generation.contains($0.parent) }.map(\.id)
            generation = family[generation.endIndex...]
        }
        for process in family.dropFirst() { kill(process, SIGKILL) }
    }

    /// - Returns: Nil if the process has ended.
    private init?(_ id: pid_t) {
        // The line contains the process id, a name in parentheses, the state, the parent, the group and the session.
        // The name may itself contain spaces and parentheses.
        guard let status = SmallFile.text(of: "/proc/\(id)/stat"), let end = status.lastIndex(of: ")") else {
            return nil
        }
        let fields = status[end...].split(separator: " ").prefix(5).map { pid_t($0) }
        guard fields.count == 5, let parent = fields[2], let session = fields[4] else { return nil }
        (self.id, self.parent, self.session) = (id, parent, session)
    }
}
