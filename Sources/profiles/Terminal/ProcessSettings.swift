internal import CLinux
internal import Platform

/// What holds for the whole process, from its start.
enum ProcessSettings {
    static func apply() {
        forbidCoreDumps()
        // A closed pipe is an error of one write, so that a store is closed in order whatever happens to its reader.
        signal(SIGPIPE, SIG_IGN)
        // So is a file that has reached the limit of its size.
        signal(SIGXFSZ, SIG_IGN)
    }

    /// Lets a signal end the process, as it would have done if it had not been caught.
    static func die(of signal: Int32) {
        TemporaryName.removeAll()
        Platform.signal(signal, SIG_DFL)
        // Threads of Dispatch block most signals, and would keep this one waiting.
        var only = sigset_t()
        sigemptyset(&only)
        sigaddset(&only, signal)
        pthread_sigmask(SIG_UNBLOCK, &only, nil)
        raise(signal)
    }

    /// Secrets are in memory for a while, and must not be in a file because of a crash (P12).
    private static func forbidCoreDumps() {
        _ = profiles_forbid_core_dumps()
        var none = rlimit(rlim_cur: 0, rlim_max: 0)
        setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &none)
    }
}
