package import Platform
internal import Synchronization

/// A process that a test has started; killed with the last reference to it, unless it has ended before.
package final class ChildProcess: Sendable {
    /// Its process id, which is its session's too where it began one.
    package let id: pid_t
    /// The exit code once it was waited for; its id may be another process's from then on.
    private let outcome = Mutex<Int32?>(nil)

    /// Where one of its descriptors leads.
    package enum Stream: Sendable {
        case file(String, flags: Int32)
        /// One of ours.
        case descriptor(Int32)
    }

    /// Starts a program.
    ///
    /// - Parameters:
    ///   - command: the program's path, and its arguments.
    ///   - environment: all of its variables; nil for ours.
    ///   - folder: where it runs; nil for where we do.
    ///   - streams: its descriptors, by number; the others are ours, as far as they are inherited.
    ///   - beginsSession: whether it is out of reach of our terminal, with signals as a login shell has them; the first
    ///     terminal among `streams` becomes the one that controls its session.
    /// - Throws: what `posix_spawn` says. A program that is not there ends with 127 instead where a folder is named.
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
            // Signals as a login shell has them, whatever those who started the tests ignore or block.
            var all = sigset_t()
            sigfillset(&all)
            posix_spawnattr_setsigdefault(&attributes, &all)
            var none = sigset_t()
            sigemptyset(&none)
            posix_spawnattr_setsigmask(&attributes, &none)
            // With POSIX_SPAWN_SETSID, which Glibc's header hides without _GNU_SOURCE.
            posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK | 0x80))
        }
        // posix_spawn can change the folder only by an extension of Glibc's, and a shell would drop variables whose names
        // are not to its taste.
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

    /// Whether it has ended; asks without waiting.
    package var hasEnded: Bool {
        outcome.withLock { outcome in
            if outcome == nil { outcome = Self.reap(id, WNOHANG) }
            return outcome != nil
        }
    }

    /// Waits for its end.
    ///
    /// - Returns: the exit code, or 128 and the number of the signal that ended it, as a shell has it.
    @discardableResult
    package func wait() -> Int32 {
        // Left to be reaped, so that signals can still be sent, and are never sent to another process of the same id.
        var information = siginfo_t()
        while !hasEnded, waitid(P_PID, id_t(id), &information, WEXITED | WNOWAIT) < 0, errno == EINTR {}
        return outcome.withLock { outcome in
            let code = outcome ?? Self.reap(id, 0) ?? -1
            outcome = code
            return code
        }
    }

    /// Sends a signal, unless it has ended.
    package func send(_ signal: Int32) {
        outcome.withLock { outcome in
            if outcome == nil { kill(id, signal) }
        }
    }

    /// - Returns: the exit code; nil while it runs, where `options` say not to wait.
    private static func reap(_ id: pid_t, _ options: Int32) -> Int32? {
        var status: Int32 = 0
        var ended = waitpid(id, &status, options)
        while ended < 0, errno == EINTR { ended = waitpid(id, &status, options) }
        guard ended == id else { return nil }
        return status & 0x7F == 0 ? (status >> 8) & 0xFF : 128 + (status & 0x7F)
    }
}
