internal import Platform

/// The arguments of the process.
enum CommandArguments {
    /// Throws a failure if the arguments are missing, or if one is not UTF-8.
    ///
    /// Swift reads the arguments from `/proc/self/cmdline`. If it cannot read that file, the list is empty, without
    /// even the command's name. The parser would then assume a call without a subcommand, show the overview, and exit
    /// with 0. A script that calls `login` would then treat the exit code 0 as a successful login. Swift replaces bytes
    /// that are not UTF-8 by U+FFFD, so two different file names could become the same.
    static func requireReadable() throws(CommandFailure) {
        guard CommandLine.argc > 0, !CommandLine.arguments.isEmpty else {
            throw CommandFailure(
                .badConfiguration, "The arguments cannot be read, so nothing was done",
                "Mount /proc, and run without libraries that are preloaded: the arguments come from /proc/self/cmdline")
        }
        for index in 1..<Int(CommandLine.argc) {
            guard let argument = CommandLine.unsafeArgv[index] else { continue }
            if String(validatingCString: argument) == nil {
                // The message does not repeat the argument, because the argument may be a secret (P12).
                throw CommandFailure(
                    .usage, "Argument \(index) is not UTF-8 text",
                    "Change into a folder whose name is not UTF-8, and name the files from there")
            }
        }
    }
}

extension CommandArguments {
    /// Returns the shell command that runs this command again with additional options.
    ///
    /// - Parameters:
    ///   - arguments: The arguments of the process. The first one is the name of the command.
    ///   - value: An option and its new value. If the arguments already contain the option, the new value replaces the
    ///     earlier value.
    ///   - flag: A flag to add if it is missing.
    /// - Returns: The command. Each word that a shell could change is in quotes.
    static func line(
        _ arguments: [String], setting value: (option: String, value: String)?, adding flag: String?
    ) -> String {
        // Words after "--" are not options.
        let options = arguments.prefix { $0 != "--" }
        var words: [String] = []
        var isValue = false
        for word in options {
            if let value, !isValue, word == value.option || word.hasPrefix(value.option + "=") {
                isValue = word == value.option
                continue
            }
            if !isValue { words.append(word) }
            isValue = false
        }
        if let value { words += [value.option, value.value] }
        if let flag, !words.contains(flag) { words.append(flag) }
        return line(words + arguments[options.endIndex...])
    }

    /// Returns the arguments without some options, and with other words in their place.
    ///
    /// - Parameters:
    ///   - arguments: The arguments of the process. The first one is the name of the command.
    ///   - options: The names of the options to remove, with their values.
    ///   - flags: The names of the flags to remove.
    ///   - words: The words to add.
    /// - Returns: The arguments. The added words come before "--", because words after it are not options.
    static func replacing(
        _ arguments: [String], options: Set<String>, flags: Set<String>, by words: [String]
    ) -> [String] {
        let before = arguments.prefix { $0 != "--" }
        var kept: [String] = []
        var isValue = false
        for word in before {
            let name = String(word.prefix { $0 != "=" })
            let isRemoved = isValue || flags.contains(word) || options.contains(name)
            isValue = !isValue && options.contains(word)
            if !isRemoved { kept.append(word) }
        }
        return kept + words + arguments[before.endIndex...]
    }

    /// The name by which a shell finds the command.
    static var ownName: String { CommandLine.arguments.first ?? "profiles" }

    /// Returns the words as a shell command. Each word that a shell could change is in quotes.
    static func line(_ words: [String]) -> String { words.map(\.shellWord).joined(separator: " ") }
}

extension String {
    /// The text as one word of a shell command.
    fileprivate var shellWord: String {
        let isPlain =
            !isEmpty
            && utf8.allSatisfy { byte in
                byte >= 0x80 || UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte
                    || UInt8(ascii: "A")...UInt8(ascii: "Z") ~= byte
                    || UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte || "_-./,:=@%+".utf8.contains(byte)
            }
        return isPlain ? self : quotedForShell
    }

    /// The text in single quotes. A shell does not change text in single quotes.
    var quotedForShell: String { "'" + replacing("'", with: #"'\''"#) + "'" }
}
