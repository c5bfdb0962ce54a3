import Glibc

/// A process that a test has started.
struct ChildProcess {
    let id: pid_t

    /// Starts a program, given by its path and arguments, in a folder and with files as its descriptors. The first
    /// terminal that a process opens which begins a session becomes its controlling one.
    init(
        _ command: [String], environment: [String: String], folder: String = "/",
        files: [(descriptor: Int32, path: String, flags: Int32)] = [], beginsSession: Bool = false
    ) throws {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for file in files {
            posix_spawn_file_actions_addopen(&actions, file.descriptor, file.path, file.flags, 0o600)
        }
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        // POSIX_SPAWN_SETSID, which Glibc's header hides without _GNU_SOURCE.
        if beginsSession { posix_spawnattr_setflags(&attributes, 0x80) }
        // A shell changes the folder, since posix_spawn can do so only by an extension of Glibc's.
        let all = ["/bin/sh", "-c", "cd \"$0\" && exec \"$@\"", folder] + command
        var arguments: [UnsafeMutablePointer<CChar>?] = all.map { strdup($0) } + [nil]
        var variables: [UnsafeMutablePointer<CChar>?] = environment.map { strdup("\($0)=\($1)") } + [nil]
        defer { for pointer in arguments + variables { free(pointer) } }
        var id: pid_t = 0
        let code = posix_spawn(&id, "/bin/sh", &actions, &attributes, &arguments, &variables)
        guard code == 0 else { throw SystemFailure(code: code) }
        self.id = id
    }

    /// Waits for its end.
    ///
    /// - Returns: The exit code, or 128 and the signal's number.
    func wait() -> Int32 {
        var status: Int32 = 0
        while waitpid(id, &status, 0) < 0, errno == EINTR {}
        return status & 0x7F == 0 ? (status >> 8) & 0xFF : 128 + (status & 0x7F)
    }

    func send(_ signal: Int32) { kill(id, signal) }
}
