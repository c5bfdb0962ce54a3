internal import Platform

/// What the command was called with.
enum CommandArguments {
    /// Refuses an argument that is not UTF-8. Swift has U+FFFD for what it cannot read, so that two files would be one,
    /// and neither of them the one that was meant.
    static func requireUTF8() throws(CommandFailure) {
        for index in 1..<max(1, Int(CommandLine.argc)) {
            guard let argument = CommandLine.unsafeArgv[index] else { continue }
            if String(validatingCString: argument) == nil {
                // It is not repeated: it may be a secret (P12).
                throw CommandFailure(
                    .usage, "Argument \(index) is not UTF-8 text",
                    "Change into a folder whose name is not UTF-8, and name the files from there")
            }
        }
    }
}
