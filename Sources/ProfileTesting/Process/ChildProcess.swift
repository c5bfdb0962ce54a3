package import Platform
internal import Threads

/// A process that a test has started. The process is killed when the last reference to this object is released, unless
/// it has already ended.
package final class ChildProcess: Sendable {
    /// The process id. If the process began a session, this is also the session's id.
    package let id: pid_t
    /// The exit code; nil until the process is reaped. After the process is reaped, another process may get the same
    /// process id.
    private let outcome = Locked<Int32?>(nil)

    /// The source of one descriptor of the new process: a file to open, or a descriptor of the calling process.
    package enum Stream: Sendable {
        case file(String, flags: Int32)
        /// A descriptor of the calling process.
        case descriptor(Int32)
    }

    /// Starts a program.
    ///
    /// - Parameters:
    ///   - command: The program's path and its arguments.
    ///   - environment: All environment variables of the program. If it is nil, the program inherits the variables of
    ///     the calling process.
    ///   - folder: The working directory. If it is nil, the program inherits the working directory of the calling
    ///     process.
    ///   - streams: The descriptors to set in the program, by descriptor number. The program inherits all other
    ///     descriptors from the calling process.
    ///   - beginsSession: Whether the program begins a new session, which is separate from the caller's terminal. All
    ///     signals then have their default handling, as in a login shell. The first terminal among `streams` becomes
    ///     the session's controlling terminal.
    /// - Throws: The error of `posix_spawn`. If a folder is given and the program does not exist, no error is thrown.
    ///   Instead, the process ends with exit code 127.
    package init(
        _ command: [String], environment: [String: String]? = nil, folder: String? = nil,
        streams: [Int32: Stream] = [:], beginsSession: Bool = false
    ) throws(SystemError) {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for (descriptor, stream) in streams.sorted(by: { $0.key < $1.key }) {
            switch stream {
            case .file(let path, let flags):
                posix_spawn_file_actions_addopen(&actions, descriptor, path, flags, 0o600)
            case .descriptor(let ours):
                posix_spawn_file_actions_adddup2(&actions, ours, descriptor)
            }
        }
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        if beginsSession {
            // Sets the default handling of all signals, and unblocks them. The parent process of the tests may ignore or
            // block some signals.
            var all = sigset_t()
            sigfillset(&all)
            posix_spawnattr_setsigdefault(&attributes, &all)
            var none = sigset_t()
            sigemptyset(&none)
            posix_spawnattr_setsigmask(&attributes, &none)
            // 0x80 is POSIX_SPAWN_SETSID. Glibc's header defines this constant only together with _GNU_SOURCE.
            posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK | 0x80))
        }
        // `env -C` changes the working directory. posix_spawn can do this only with a Glibc extension. A shell is not
        // used, because it would drop environment variables with unusual names.
        let words = folder.map { ["/usr/bin/env", "-C", $0, "--"] + command } ?? command
        var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
        var variables: [UnsafeMutablePointer<CChar>?] = (environment ?? [:]).map { strdup("\($0)=\($1)") } + [nil]
        defer { for pointer in arguments + variables { free(pointer) } }
        let program = words.first ?? ""
        var id: pid_t = 0
        let code =
            environment == nil
            ? posix_spawn(&id, program, &actions, &attributes, &arguments, environ)
            : posix_spawn(&id, program, &actions, &attributes, &arguments, &variables)
        guard code == 0 else { throw SystemError("posix_spawn \(program)", code: code) }
        self.id = id
    }

    deinit {
        if !hasEnded {
            send(SIGKILL)
            wait()
        }
    }

    /// Whether the process has ended. Reading this property does not wait.
    package var hasEnded: Bool {
        outcome.withLock { outcome in
            if outcome == nil { outcome = Self.reap(id, WNOHANG) }
            return outcome != nil
        }
    }

    /// Waits until the process has ended.
    ///
    /// - Returns: The exit code, or 128 plus the number of the signal that ended the process, as in a shell.
    @discardableResult
    package func wait() -> Int32 {
        // Because of the flag WNOWAIT, `waitid` does not reap the process. No other process can get the id of a process
        // that is not reaped. Therefore a call of `send(_:)` on another thread cannot reach another process.
        var information = siginfo_t()
        while !hasEnded, waitid(P_PID, id_t(id), &information, WEXITED | WNOWAIT) < 0, errno == EINTR {}
        return outcome.withLock { outcome in
            let code = outcome ?? Self.reap(id, 0) ?? -1
            outcome = code
            return code
        }
    }

    /// Sends a signal unless the process has ended.
    package func send(_ signal: Int32) {
        outcome.withLock { outcome in
            if outcome == nil { kill(id, signal) }
        }
    }

    /// - Returns: The exit code. Nil if `options` contains WNOHANG and the process still runs.
    private static func reap(_ id: pid_t, _ options: Int32) -> Int32? {
        var status: Int32 = 0
        var ended = waitpid(id, &status, options)
        while ended < 0, errno == EINTR { ended = waitpid(id, &status, options) }
        guard ended == id else { return nil }
        return status & 0x7F == 0 ? (status >> 8) & 0xFF : 128 + (status & 0x7F)
    }
}
