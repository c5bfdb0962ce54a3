internal import ProfileCore
internal import ProfileStore
internal import TextLayout

// What is answered where a token was made, or is named.
extension GlobalOptions {
    /// Shows a token this once: alone on standard output, so that it can go through a pipe, with the words on standard
    /// error; or in JSON with what is known of it.
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
    /// Refuses a token where a name belongs, without repeating it: others can read arguments (P12).
    func requireNoToken() throws {
        let secret = Secret(self)
        guard TokenKind.allCases.allSatisfy({ TokenHash(of: secret, $0) == nil }) else {
            throw NoSecretArguments.refusal
        }
    }
}
