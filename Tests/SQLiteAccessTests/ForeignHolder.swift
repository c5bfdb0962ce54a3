import Platform
import SQLiteAccess

/// Another process that holds a lock through `flock`(1) until `release()`.
final class ForeignHolder {
    private let processID: pid_t
    private let input: Int32

    /// Starts it, and returns when it has the lock and has written `name` into its file.
    init(of lock: String, calling name: String) throws {
        var toChild: [Int32] = [0, 0]
        var fromChild: [Int32] = [0, 0]
        guard pipe(&toChild) == 0, pipe(&fromChild) == 0 else {
            throw SQLiteError(code: .cantOpen, message: "pipe")
        }
        for descriptor in toChild + fromChild { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, toChild[0], 0)
        posix_spawn_file_actions_adddup2(&actions, fromChild[1], 1)
        let script = #"printf '%s %s\n' "$$" "$1" > "$0"; echo held; read -r _"#
        let words = ["flock", lock, "sh", "-c", script, lock, name]
        var arguments = words.map { strdup($0) } + [nil]
        defer { arguments.forEach { free($0) } }
        var started: pid_t = 0
        let status = posix_spawnp(&started, "flock", &actions, nil, &arguments, environ)
        close(toChild[0])
        close(fromChild[1])
        processID = started
        input = toChild[1]
        defer { close(fromChild[0]) }
        var answer: [UInt8] = [0, 0, 0, 0, 0]
        guard status == 0, read(fromChild[0], &answer, 5) == 5, answer == Array("held\n".utf8) else {
            throw SQLiteError(code: .cantOpen, message: "flock did not start")
        }
    }

    /// Makes the process release the lock, and waits until the process has ended.
    func release() {
        close(input)
        var status: Int32 = 0
        waitpid(processID, &status, 0)
    }
}
