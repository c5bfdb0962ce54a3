/// How the process ends; the numbers from 64 on are those of BSD's `sysexits.h`.
enum ExitStatus: Int32 {
    /// The answer is no: invalid, rejected rows, duplicate, stale revision, not found, wrong secret.
    case no = 1
    case usage = 64
    /// The input cannot be read as what it should be.
    case badInput = 65
    case noInput = 66
    case unavailable = 69
    /// It is unknown whether a write was done.
    case unknown = 70
    case cannotCreate = 73
    case inputOutput = 74
    case tryAgain = 75
    case notPermitted = 77
    /// A schema, or the environment, is wrong.
    case badConfiguration = 78
    /// As a shell reports SIGINT.
    case interrupted = 130
    /// As a shell reports SIGPIPE.
    case pipeClosed = 141
}
