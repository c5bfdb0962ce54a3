internal import ArgumentParser
internal import ProfileCore
internal import TextLayout

/// An argument in the place of a subcommand's or an option's name that no subcommand or option has.
///
/// argument-parser counts the arguments that it cannot use ("2 unexpected arguments"). It does not say that one was
/// mistyped.
struct UnknownName {
    private enum Kind { case subcommand, option }

    private let kind: Kind
    /// The name without its leading hyphens and without a value.
    private let name: String
    /// The position among the arguments, from 1.
    private let place: Int
    /// The command that lacks the name, as the user typed the command.
    private let command: String
    private let nearest: String?

    /// Returns the first such argument, or nil if the arguments were refused for another reason.
    ///
    /// Also finds an unknown subcommand that was not refused (`message` is nil): argument-parser answers `help` for it
    /// with the help of the parent command.
    static func first(in arguments: [String], refusedWith message: String?) -> UnknownName? {
        var command: any ParsableCommand.Type = ProfilesCommand.self
        var path = "profiles"
        for (index, word) in arguments.enumerated() {
            if index == 0, word == "help" { continue }
            let subcommands = command.configuration.subcommands
            if subcommands.isEmpty || word.hasPrefix("-") || word == "help" {
                return option(in: arguments, after: index, of: command, path, refusedWith: message)
            }
            guard let subcommand = subcommands.first(where: { $0.configuration.commandName == word }) else {
                let names = subcommands.compactMap { $0.configuration.commandName }
                return UnknownName(
                    kind: .subcommand, name: word, place: index + 1, command: path, nearest: word.nearest(in: names))
            }
            command = subcommand
            path += " " + word
        }
        return nil
    }

    private static func option(
        in arguments: [String], after index: Int, of command: any ParsableCommand.Type, _ path: String,
        refusedWith message: String?
    ) -> UnknownName? {
        guard let message, message.hasPrefix("Unknown option '--") || message == NoSecretArguments.surplusRefusal else {
            return nil
        }
        let options = options(of: command)
        for (place, word) in arguments.enumerated().dropFirst(index) {
            if word == "--" { break }
            guard word.hasPrefix("--") else { continue }
            let name = String(word.dropFirst(2).prefix { $0 != "=" })
            if options.contains(where: { $0.name == name }) { continue }
            return UnknownName(
                kind: .option, name: name, place: place + 1, command: path,
                nearest: name.nearest(in: options.filter(\.isShown).map(\.name)))
        }
        return nil
    }

    /// Returns the message about the name. An argument that may be a secret is repeated in two cases only: it is in the
    /// place of a subcommand of `profiles`, or it resembles an option. It must also consist of lower-case letters and
    /// hyphens.
    func text(mayBeSecret: Bool) -> String {
        let hint = nearest.map { " Did you mean '\(dashes)\($0)'?" } ?? ""
        let isFirst = kind == .subcommand && command == "profiles"
        let isShown = !mayBeSecret || UsageText.isName(name) && (isFirst || nearest != nil && kind == .option)
        if isShown { return "There is no \(noun) '\(dashes)\(name.visible)'.\(hint)" }
        return
            "Argument \(place) is not one of the \(noun)s of '\(command)'. "
            + "It is not repeated here, since it could be a secret.\(hint)"
    }

    private var dashes: String { kind == .option ? "--" : "" }
    private var noun: String { kind == .option ? "option" : "subcommand" }

    /// The long names of a command's options, from the JSON description that argument-parser makes for other programs.
    private static func options(of command: any ParsableCommand.Type) -> [(name: String, isShown: Bool)] {
        guard let help = try? JSONValue(parsing: command._dumpHelp()),
            case .array(let arguments)? = help["command"]?["arguments"]
        else { return [] }
        return arguments.flatMap { argument -> [(name: String, isShown: Bool)] in
            guard case .array(let names)? = argument["names"] else { return [] }
            return names.compactMap { name in
                guard name["kind"] == .string("long"), case .string(let text)? = name["name"] else { return nil }
                return (text, argument["shouldDisplay"] == .bool(true))
            }
        }
    }
}

extension JSONValue {
    fileprivate subscript(name: String) -> JSONValue? {
        guard case .object(let members) = self else { return nil }
        return members.first { $0.name == name }?.value
    }
}
