internal import CLinux
internal import Glibc

/// What holds for the whole process, from its start.
enum ProcessSettings {
    static func apply() {
        forbidCoreDumps()
        // A closed pipe is an error of one write, so that a store is closed in order whatever happens to its reader.
        signal(SIGPIPE, SIG_IGN)
    }

    /// Secrets are in memory for a while, and must not be in a file because of a crash (P12).
    private static func forbidCoreDumps() {
        _ = profiles_forbid_core_dumps()
        var none = rlimit(rlim_cur: 0, rlim_max: 0)
        setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &none)
    }
}
