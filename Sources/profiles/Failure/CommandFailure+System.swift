internal import Platform

// Errors of the operating system.
extension CommandFailure {
    static func cannotRead(_ path: String, _ code: Int32) -> CommandFailure {
        let status: ExitStatus =
            switch code {
            case EACCES, EPERM: .notPermitted
            case EIO: .inputOutput
            default: .noInput
            }
        // An address may contain a password, so it is not repeated (P12).
        guard !path.contains("://") else {
            return CommandFailure(
                status, "An address was given in place of a file: addresses cannot be read",
                "Download the file first, and give its path")
        }
        return CommandFailure(status, "\(named(path)) cannot be read: \(systemText(code))")
    }

    static func cannotCreate(_ path: String, _ code: Int32) -> CommandFailure {
        CommandFailure(.cannotCreate, "\(named(path)) cannot be created: \(systemText(code))")
    }

    /// Returns the name of a path, for use at the beginning of a message.
    static func named(_ path: String) -> String {
        switch path {
        case "": "\"\""
        case "-": "Standard input"
        default: path
        }
    }

    static func isThere(_ path: String) -> CommandFailure {
        CommandFailure(
            .cannotCreate, "\(path) is there already; it is left as it is",
            "Replace it with --force, or name another file")
    }

    static func cannotWrite(_ path: String, _ code: Int32) -> CommandFailure {
        code == EPIPE
            ? CommandFailure(.pipeClosed, lines: [])
            : CommandFailure(.inputOutput, "\(path) cannot be written: \(systemText(code))")
    }

    static func cannotStartThread(_ code: Int32) -> CommandFailure {
        CommandFailure(.tryAgain, "No thread could be started; try again: \(systemText(code))")
    }

    static func tooFewDescriptors(free: Int, needed: Int, limit: Int) -> CommandFailure {
        CommandFailure(
            .badConfiguration,
            "This process may open \(free) more files (its limit is \(limit)), and a command needs "
                + "\(needed); nothing was done",
            "Raise the limit, for example with \"ulimit -n 1024\"")
    }

    static func tooLittleAddressSpace(needed: Int) -> CommandFailure {
        CommandFailure(
            .badConfiguration,
            "This command needs \(needed >> 20) MiB of address space besides the program itself, and its limit allows less; "
                + "nothing was done",
            "Raise the limit, for example with \"ulimit -v 1048576\"")
    }

    /// The system's description of an `errno` code.
    static func systemText(_ code: Int32) -> String {
        code == 0 ? "the reason is not known" : String(cString: strerror(code))
    }
}
