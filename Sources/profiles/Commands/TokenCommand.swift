internal import ArgumentParser
internal import ProfileCore
internal import ProfileStore
internal import TextLayout

struct TokenCommand: ParsableCommand, SecretTaking {
    static let configuration = CommandConfiguration(
        commandName: "token",
        abstract: "Create, list and revoke the access tokens of programs.",
        discussion: """
            An access token lets a program use a service on this store. It belongs to no profile.

              profiles token create nightly --scope read --expires 90d
              profiles token list
              profiles token revoke nightly
            """,
        subcommands: [TokenCreateCommand.self, TokenListCommand.self, TokenRevokeCommand.self])
}

struct TokenCreateCommand: AsynchronousCommand, ResultWriting {
    static let configuration = CommandConfiguration(
        commandName: "create",
        abstract: "Create an access token, and print it once.",
        discussion: """
            Standard output holds only the token. The store keeps its SHA-256, so the token cannot be shown again.

              profiles token create nightly --scope read --expires 90d > nightly.token
              profiles token create console --scope read --scope write --format json
            """)

    @Argument(help: "A name of 1 to 100 characters. Names are unique.")
    var name: String

    @Option(
        help: ArgumentHelp(
            "Give the token a scope of the service, such as read, write or admin; may be repeated. (default: read)",
            valueName: "word"),
        transform: Self.scope)
    var scope: [AccessScope] = []

    @Option(
        help: ArgumentHelp(
            "Let the token expire after this time: a number and s, m, h, d or w. (default: never)", valueName: "time"))
    var expires: TimeSpan?

    @OptionGroup var noSecrets: NoSecretArguments
    @OptionGroup var store: StoreOptions
    @OptionGroup var result: ResultOptions

    private static func scope(_ text: String) throws -> AccessScope {
        guard let scope = AccessScope(text) else {
            throw ValidationError("A scope is 1 to 32 lower-case letters, digits, _, -, . and :.")
        }
        return scope
    }

    func validate() throws {
        try name.requireNoToken()
        _ = try label
    }

    private var label: AccountLabel {
        get throws {
            guard let label = AccountLabel(name) else {
                throw ValidationError("A name is 1 to 100 characters of one line.")
            }
            return label
        }
    }

    func run() async throws {
        let label = try label
        let issued = try await global.withStore("token create", inOneCall: true) { repository in
            let scopes = scope.isEmpty ? [.read] : Set(scope)
            return try await repository.tokens.create(label, scopes: scopes, validFor: expires?.duration)
        }
        let token = issued.value
        let scopes = "\(token.scopes.count == 1 ? "scope" : "scopes") \(token.scopeList)"
        let expiry = token.expiresAt.map { "expires at \($0.text)" } ?? "never expires"
        try global.show(
            issued.token, token.json,
            "Created the access token \(token.name) (id \(token.id)) with the \(scopes). It \(expiry).",
            "It is not shown again. Revoke it with \"profiles token revoke \(token.id)\".")
    }
}

struct TokenListCommand: AsynchronousCommand, ResultWriting {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List the access tokens, without the tokens themselves.",
        discussion: """
            The time of the last use is accurate to the minute.

              profiles token list
              profiles token list --format json
            """)

    @OptionGroup var store: StoreOptions
    @OptionGroup var result: ResultOptions

    /// False, because a store in a file lists its access tokens on the calling thread.
    var needsThreads: Bool { false }

    func run() async throws {
        let tokens = try await global.withStore("token list", inOneCall: true) { try await $0.tokens.list() }
        switch global.format {
        case .json:
            try Output.standard.print(["tokens": .array(tokens.map(\.json))])
        case .text where tokens.isEmpty: global.note("There are no access tokens.")
        case .text:
            var table = TextTable(["Id", "Name", "Scopes", "Created", "Last used", "Expires"])
            let now = Timestamp.now()
            for token in tokens {
                let expiry = token.expiresAt.map { $0.text + (token.isExpired(at: now) ? " (expired)" : "") }
                table.add([
                    token.id.description, token.name.text, token.scopeList, token.createdAt.text,
                    token.lastUsedAt?.text, expiry,
                ])
            }
            try Output.standard.write(table.text)
        }
    }
}

struct TokenRevokeCommand: AsynchronousCommand, ResultWriting {
    static let configuration = CommandConfiguration(
        commandName: "revoke",
        abstract: "Remove an access token: every service refuses it within 250 ms.",
        discussion: """
            Exits 1 if no token has that name or id.

              profiles token revoke nightly
              profiles token revoke 5f0c2f7be9a1d4c3
            """)

    @Argument(help: "The name or the id of the token; never the token itself.")
    var nameOrID: String

    @OptionGroup var noSecrets: NoSecretArguments
    @OptionGroup var store: StoreOptions
    @OptionGroup var result: ResultOptions

    func validate() throws { try nameOrID.requireNoToken() }

    func run() async throws {
        let token = try await global.withStore("token revoke", inOneCall: true) { repository in
            let tokens = try await repository.tokens.list()
            let name = nameOrID.utf8.map(\.asciiFolded)
            let meant =
                tokens.first { $0.name.text.utf8.map(\.asciiFolded) == name }
                ?? tokens.first { $0.id.description == nameOrID }
            return if let meant { try await repository.tokens.revoke(meant.id) } else { AccessToken?.none }
        }
        guard let token else {
            throw CommandFailure(
                .no, "There is no access token \"\(nameOrID)\"", "\"profiles token list\" lists them")
        }
        try global.confirm(
            "Revoked the access token \(token.name) (id \(token.id))",
            ["revoked": .string(token.name.text), "id": .string(token.id.description)])
    }
}

extension AccessToken {
    fileprivate var scopeList: String { scopes.map(\.text).joined(separator: ", ") }
}
