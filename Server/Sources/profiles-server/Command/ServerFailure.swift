internal import Glibc

/// The exit codes of the process. The codes from 64 to 78 come from BSD's `sysexits.h`. The command `profiles` uses the
/// same codes, but there 70 means an unknown outcome.
enum ExitStatus: Int32 {
    case usage = 64
    /// The store does not have the expected format.
    case badInput = 65
    case noInput = 66
    case unavailable = 69
    /// An unexpected error.
    case software = 70
    case cannotCreate = 73
    case inputOutput = 74
    case tryAgain = 75
    case notPermitted = 77
    /// The settings or the environment are wrong.
    case badConfiguration = 78
    /// The code that a shell reports after SIGINT.
    case interrupted = 130
}

/// The reason why the program ends without success: an exit code, and a message that says what happened, where, and
/// what to do.
struct ServerFailure: Error, Hashable {
    let status: ExitStatus
    /// The first line says what happened and where. The other lines say what to do.
    let lines: [String]

    init(_ status: ExitStatus, _ lines: String...) {
        self.status = status
        self.lines = lines
    }

    /// Writes the message to standard error.
    func show() {
        for (index, line) in lines.enumerated() {
            StandardStream.error.print((index == 0 ? "Error: " : "  ") + line.printable)
        }
    }

    /// The system's description of an `errno` code.
    static func systemText(_ code: Int32) -> String { String(cString: strerror(code)) }
}

extension String {
    /// The text with a space in place of each control character, because a terminal would execute these characters.
    fileprivate var printable: String {
        String(String.UnicodeScalarView(unicodeScalars.map { $0.properties.generalCategory == .control ? " " : $0 }))
    }
}
