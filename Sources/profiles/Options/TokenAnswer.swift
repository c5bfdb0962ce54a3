internal import ProfileCore
internal import ProfileStore
internal import TextLayout

// The output of commands that create a token, and a check that refuses tokens as arguments.
extension GlobalOptions {
    /// Shows a new token. The store cannot show the token again later. In the text format, standard output contains
    /// only the token, so another command can read the token from a pipe. The `words` go to standard error. In the JSON
    /// format, the output contains the token and its other properties.
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
    /// Refuses a token that was given instead of a name, because other users can read arguments (P12). The message does
    /// not repeat the token.
    func requireNoToken() throws {
        let secret = Secret(self)
        guard TokenKind.allCases.allSatisfy({ TokenHash(of: secret, $0) == nil }) else {
            throw NoSecretArguments.refusal
        }
    }
}
