/// The exit codes of the process. The codes from 64 to 78 come from BSD's `sysexits.h`.
enum ExitStatus: Int32 {
    /// The result of the command is negative. For example, a profile is invalid, duplicate or not found; a row is
    /// rejected; a revision is stale; or a secret is wrong.
    case no = 1
    case usage = 64
    /// The input does not have the expected format.
    case badInput = 65
    case noInput = 66
    case unavailable = 69
    /// It is not known whether the write was stored.
    case outcomeUnknown = 70
    case cannotCreate = 73
    case inputOutput = 74
    case tryAgain = 75
    case notPermitted = 77
    /// The schema or the environment is wrong.
    case badConfiguration = 78
    /// The code that a shell reports after SIGINT.
    case interrupted = 130
    /// The code that a shell reports after SIGPIPE.
    case pipeClosed = 141
}
