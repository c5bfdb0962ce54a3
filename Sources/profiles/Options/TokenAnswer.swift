internal import ProfileCore
internal import ProfileStore
internal import TextLayout

// The output of commands that create a token, and a check that refuses tokens as arguments.
extension GlobalOptions {
    /// Shows a token, which the store cannot show again. As text, the token alone goes to standard output, for use in a
    /// pipe, and `words` go to standard error. As JSON, the token comes with its other properties.
    func show(_ token: Secret, _ json: JSONValue, _ words: String...) throws(CommandFailure) {
        switch format {
        case .text:
            try Output.standard.write(token)
            for line in words { note(line.visible) }
        case .json:
            guard case .object(let members) = json else { return }
            let shown = JSONMember("token", .string(String(token.bytes)))
            try Output.standard.print(JSONValue.object([shown] + members).text(indented: true))
        }
    }
}

extension String {
    /// Refuses a token in the place of a name, without repeating it: other users can read arguments (P12).
    func requireNoToken() throws {
        let secret = Secret(self)
        guard TokenKind.allCases.allSatisfy({ TokenHash(of: secret, $0) == nil }) else {
            throw NoSecretArguments.refusal
        }
    }
}
