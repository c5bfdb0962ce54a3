internal import ArgumentParser
internal import ProfileCore
internal import TextLayout

/// An argument that stands in the place of a subcommand or an option, but is not the name of one.
///
/// If argument-parser cannot use some arguments, its message only gives their number ("2 unexpected arguments"). The
/// message does not name the mistyped argument.
struct UnknownName {
    private enum Kind { case subcommand, option }

    private let kind: Kind
    /// The name without its leading hyphens and without a value.
    private let name: String
    /// The position of the argument, counted from 1.
    private let place: Int
    /// The command that has no subcommand or option of this name. The command is written as the user typed it.
    let command: String
    private let nearest: String?

    /// Returns the first unknown name, or nil if the arguments were refused for another reason.
    ///
    /// Also finds an unknown subcommand if argument-parser did not refuse the arguments (`message` is nil). If a user
    /// asks for help about an unknown subcommand, argument-parser shows the help of the parent command.
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

    /// Returns the message about the name. If the name may be a secret, the message repeats the name only under two
    /// conditions. The name must consist of lower-case letters and hyphens. The name must also be in the place of a
    /// subcommand of `profiles`, or be similar to an option.
    func text(mayBeSecret: Bool) -> String {
        var hint = nearest.map { " Did you mean '\(dashes)\($0)'?" } ?? ""
        if command == "profiles" {
            if kind == .option, nearest == nil {
                hint = " Options follow the subcommand, as in 'profiles list --database FILE'."
            }
            if kind == .subcommand, name == "version" { hint = " Did you mean '--version'?" }
        }
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
