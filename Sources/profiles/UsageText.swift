internal import ArgumentParser
internal import TextLayout

/// What is said of arguments that are not understood, without what may be a secret: which name was mistyped, and else
/// what argument-parser says.
struct UsageText {
    let text: String

    /// Of help that was asked for a subcommand that there is not; nil where there is all that was named.
    init?(ofHelp arguments: [String]) {
        let names = arguments.first == "help" ? arguments.dropFirst() : arguments[...]
        let takesSecret = Self.isSecretTaken(by: names.first)
        guard let unknown = UnknownName.first(in: arguments, refusedWith: nil) else { return nil }
        text = "Error: \(unknown.text(mayBeSecret: takesSecret))\n  See 'profiles --help' for all that there are."
    }

    init(_ error: any Error, arguments: [String]) {
        let full = ProfilesCommand.fullMessage(for: error)
        let message = ProfilesCommand.message(for: error)
        let takesSecret = Self.isSecretTaken(by: arguments.first)
        let unknown = UnknownName.first(in: arguments, refusedWith: message)?.text(mayBeSecret: takesSecret)
        // After the message come the option's help and the usage.
        let start = "Error: " + message
        let rest = full.hasPrefix(start) ? full.dropFirst(start.count) : ""
        let shown = unknown ?? (takesSecret ? Self.hidingValues(of: arguments, in: message) : message)
        text = Self.makingVisible(arguments, in: "Error: " + shown + rest)
    }

    /// A text that may repeat arguments, in a form that no terminal obeys. The text has line ends of its own; those of
    /// arguments become visible too.
    private static func makingVisible(_ arguments: [String], in text: String) -> String {
        let lines = arguments.flatMap { [$0] + $0.split(separator: "=", maxSplits: 1).map(String.init) }
            .filter { $0.utf8.contains(UInt8(ascii: "\n")) }
        // Long ones first, since others may be in them.
        let onLines = lines.sorted { $0.utf8.count > $1.utf8.count }
            .reduce(text) { $0.replacing($1, with: $1.visible) }
        return onLines.split(separator: "\n", omittingEmptySubsequences: false).map { String($0).visible }
            .joined(separator: "\n")
    }

    /// A command that is not known may be meant for one that takes secrets.
    private static func isSecretTaken(by name: String?) -> Bool {
        let command = ProfilesCommand.configuration.subcommands.first { $0.configuration.commandName == name }
        return command.map { $0 is any SecretTaking.Type } ?? true
    }

    /// Argument-parser quotes what was typed, but for one text that it has. Should there be another one day, what was typed
    /// is found there too, unless it is short or could be a word of the text.
    private static func hidingValues(of arguments: [String], in message: String) -> String {
        let notUnderstood = "An argument is not understood. It is not repeated here, since it could be a secret."
        // Looking through a long text for each of many arguments would take its time.
        if message.hasPrefix("Invalid option:") || message.utf8.count > 1_000 { return notUnderstood }
        // A name that is like none of ours may have a secret in it, as in --passwordSESAME.
        let hidesNames = message.hasPrefix("Unknown option '--") && !message.contains("Did you mean")
        let values = arguments.enumerated().flatMap { index, argument in
            Self.values(in: argument, at: index + 1, hidesNames: hidesNames)
        }
        var shown = message
        // Long ones first, since others may be in them.
        for (value, replacement) in values.sorted(by: { $0.value.utf8.count > $1.value.utf8.count }) {
            shown = shown.replacing("'\(value)'", with: replacement)
        }
        // Several letters behind one hyphen are an option each, and only the first is certain to be meant so.
        shown = shown.replacing(/'(-[^-])'/) { match in
            arguments.contains { $0.hasPrefix(match.1) } ? String(match.0) : "'-…'"
        }
        let withoutNames = shown.replacing(/'[-a-z<> …]*'/, with: "")
        let isShown = values.contains { value, _ in
            value.utf8.count > 3 && !isName(value) && withoutNames.utf8.firstRange(of: value.utf8) != nil
        }
        return isShown ? notUnderstood : shown
    }

    /// What of an argument is no name of a command or an option, and what stands for it and its quotes.
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

    /// Whether it is of lower-case letters and hyphens, as the names of our commands and options are.
    static func isName(_ text: some StringProtocol) -> Bool {
        text.utf8.allSatisfy { (0x61...0x7A).contains($0) || $0 == UInt8(ascii: "-") }
            && text.utf8.first != UInt8(ascii: "-")
    }
}
