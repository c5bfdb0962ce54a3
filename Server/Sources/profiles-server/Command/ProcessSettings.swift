internal import CProcess
internal import Glibc

/// The settings of the whole process, made at its start.
enum ProcessSettings {
    static func apply() {
        forbidCoreDumps()
        // If SIGPIPE is ignored, a write to a closed pipe or connection does not end the process, but returns an error.
        signal(SIGPIPE, SIG_IGN)
        // If SIGXFSZ is ignored, a write beyond the file size limit of the process returns an error too.
        signal(SIGXFSZ, SIG_IGN)
        // The store, its log and its lock file belong to this user alone.
        umask(0o077)
    }

    /// Prevents core dumps. Memory may contain secrets, and a crash must not write them to a file (P12).
    private static func forbidCoreDumps() {
        _ = profiles_forbid_core_dumps()
        var none = rlimit(rlim_cur: 0, rlim_max: 0)
        setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &none)
    }

    /// Raises the soft limit of open files to the hard limit.
    ///
    /// The soft limit is 1,024 on most systems, for the sake of programs that call select(2). This program does not.
    ///
    /// - Returns: The number of files that the process may open.
    static func raiseFileLimit() -> Int {
        let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        var limit = rlimit()
        guard getrlimit(resource, &limit) == 0 else { return 1_024 }
        let soft = limit.rlim_cur
        limit.rlim_cur = limit.rlim_max
        return Int(clamping: setrlimit(resource, &limit) == 0 ? limit.rlim_max : soft)
    }
}
