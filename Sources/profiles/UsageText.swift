internal import ArgumentParser
internal import TextLayout

/// The error message for arguments that argument-parser refuses. It repeats no argument that may be a secret. If a word
/// is mistyped, the message names it. Otherwise the message of argument-parser is used.
struct UsageText {
    let text: String

    /// Makes the message for a user who asks for help about a subcommand that does not exist. Returns nil if all named
    /// subcommands exist.
    init?(ofHelp arguments: [String]) {
        let names = arguments.first == "help" ? arguments.dropFirst() : arguments[...]
        let takesSecret = Self.isSecretTaken(by: names.first)
        guard let unknown = UnknownName.first(in: arguments, refusedWith: nil) else { return nil }
        text = "Error: \(unknown.text(mayBeSecret: takesSecret))\n  See '\(unknown.command) --help' for the list."
    }

    init(_ error: any Error, arguments: [String]) {
        let full = ProfilesCommand.fullMessage(for: error)
        let message = ProfilesCommand.message(for: error)
        let takesSecret = Self.isSecretTaken(by: arguments.first)
        let unknown = UnknownName.first(in: arguments, refusedWith: message)?.text(mayBeSecret: takesSecret)
        // `full` contains the message, and after it the help of the option and the usage. This rest is kept.
        let start = "Error: " + message
        let rest = full.hasPrefix(start) ? full.dropFirst(start.count) : ""
        let shown = unknown ?? (takesSecret ? Self.hidingValues(of: arguments, in: message) : message)
        text = Self.makingVisible(
            arguments, in: "Error: " + shown + Self.hint(about: arguments, refusedWith: message) + rest)
    }

    /// Returns a hint if argument-parser took the value of an option for another option, because the value is a number
    /// with a minus sign. The hint does not repeat the value, which may be a secret.
    private static func hint(about arguments: [String], refusedWith message: String) -> String {
        for (option, value) in zip(arguments, arguments.dropFirst())
        where message.hasPrefix("Missing value for '\(option) ") && value.hasPrefix("-") {
            guard value.dropFirst().first?.isNumber ?? false else { continue }
            return ". Give a value that begins with - as \(option)=VALUE"
        }
        return ""
    }

    /// Returns the text with its control characters in visible form. The text may repeat arguments, and a terminal
    /// would execute their control characters. Line ends in arguments become visible too. All other line ends of the
    /// text stay.
    private static func makingVisible(_ arguments: [String], in text: String) -> String {
        let lines = arguments.flatMap { [$0] + $0.split(separator: "=", maxSplits: 1).map(String.init) }
            .filter { $0.utf8.contains(UInt8(ascii: "\n")) }
        // Replaces longer arguments first, because they may contain shorter ones.
        let onLines = lines.sorted { $0.utf8.count > $1.utf8.count }
            .reduce(text) { $0.replacing($1, with: $1.visible) }
        return onLines.split(separator: "\n", omittingEmptySubsequences: false).map { String($0).visible }
            .joined(separator: "\n")
    }

    /// Returns whether the command with this name takes a secret. Also returns true for an unknown command, because the
    /// user may have meant a command that takes a secret.
    private static func isSecretTaken(by name: String?) -> Bool {
        let command = ProfilesCommand.configuration.subcommands.first { $0.configuration.commandName == name }
        return command.map { $0 is any SecretTaking.Type } ?? true
    }

    /// Returns the message without arguments that may be secrets. argument-parser quotes the arguments in all its
    /// messages except one ("Invalid option:"). The last check in this function also finds arguments without quotes,
    /// because other messages may contain them in a later version of argument-parser. The check ignores arguments of up
    /// to 3 bytes, and arguments that could be a word of the message.
    private static func hidingValues(of arguments: [String], in message: String) -> String {
        let notUnderstood = "An argument is not understood. It is not repeated here, since it could be a secret."
        // Searching a long text for each of many arguments would take too long.
        if message.hasPrefix("Invalid option:") || message.utf8.count > 1_000 { return notUnderstood }
        // If a name is not similar to any option, it may contain a secret, as in --passwordSESAME.
        let hidesNames = message.hasPrefix("Unknown option '--") && !message.contains("Did you mean")
        let values = arguments.enumerated().flatMap { index, argument in
            Self.values(in: argument, at: index + 1, hidesNames: hidesNames)
        }
        var shown = message
        // Replaces longer values first, because they may contain shorter ones.
        for (value, replacement) in values.sorted(by: { $0.value.utf8.count > $1.value.utf8.count }) {
            shown = shown.replacing("'\(value)'", with: replacement)
        }
        // argument-parser reads letters after one hyphen as separate options. Only the first letter certainly stands
        // for an option.
        shown = shown.replacing(/'(-[^-])'/) { match in
            arguments.contains { $0.hasPrefix(match.1) } ? String(match.0) : "'-…'"
        }
        let withoutNames = shown.replacing(/'[-a-z<> …]*'/, with: "")
        let isShown = values.contains { value, _ in
            value.utf8.count > 3 && !isName(value) && withoutNames.utf8.firstRange(of: value.utf8) != nil
        }
        return isShown ? notUnderstood : shown
    }

    /// Returns the parts of an argument that are not names of a command or an option. The result also contains a
    /// replacement for each part. The message shows the replacement instead of the part and its quotes.
    private static func values(
        in argument: String, at place: Int, hidesNames: Bool
    ) -> [(value: String, replacement: String)] {
        let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        let assigned = parts.dropFirst().map { ($0, "'…'") }
        if argument.hasPrefix("--") {
            let isShown = !hidesNames && isName(parts[0].dropFirst(2))
            return isShown ? assigned : [argument, parts[0]].map { ($0, "in argument \(place)") } + assigned
        }
        if argument.hasPrefix("-") {
            let letter = argument.prefix(2)
            return parts[0].count > 2 ? [argument, parts[0]].map { ($0, "'\(letter)…'") } + assigned : assigned
        }
        return place == 1 && isName(argument) ? [] : [(argument, "'…'")]
    }

    /// Whether the text has the form of the name of a command or an option: lower-case letters and hyphens, but no
    /// hyphen at the beginning.
    static func isName(_ text: some StringProtocol) -> Bool {
        text.utf8.allSatisfy { (0x61...0x7A).contains($0) || $0 == UInt8(ascii: "-") }
            && text.utf8.first != UInt8(ascii: "-")
    }
}
