internal import ArgumentParser
internal import ProfileCore
internal import ProfileStore
internal import TextLayout

struct SessionCommand: ParsableCommand, SecretTaking {
    static let configuration = CommandConfiguration(
        commandName: "session",
        abstract: "List and end the sessions of users who are logged in to a service.",
        discussion: """
            A service on this store starts sessions. A session ends when it expires, when its profile is removed, and \
            when the password of its profile changes.

              profiles session list skboard
              profiles session end --all skboard
            """,
        subcommands: [SessionListCommand.self, SessionEndCommand.self])
}

struct SessionListCommand: AsynchronousCommand, ResultWriting {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List the users who are logged in, and their devices.",
        discussion: """
            The time of the last use is accurate to a minute or better.

              profiles session list
              profiles session list skboard --format json
            """)

    @Argument(help: "The username of the profile. (default: all profiles)")
    var username: String?

    @Option(help: ArgumentHelp("Show at most this many sessions.", valueName: "n"))
    var limit = 1_000

    @OptionGroup var noSecrets: NoSecretArguments
    @OptionGroup var store: StoreOptions
    @OptionGroup var result: ResultOptions

    /// False, because a store in a file lists its sessions on the calling thread.
    var needsThreads: Bool { false }

    func validate() throws {
        try username?.requireNoToken()
        guard 1...100_000 ~= limit else { throw ValidationError("--limit takes 1 to 100000.") }
    }

    func run() async throws {
        let found = try await global.withStore("session list", inOneCall: true) { repository in
            if let username { return try await repository.sessions.list(of: username) }
            // The command reads one more session than the limit. If this session exists, there are more sessions than
            // the limit.
            return try await repository.sessions.list(limit: limit + 1)
        }
        let sessions = found.prefix(limit)
        switch global.format {
        case .json:
            try Output.standard.print([
                "sessions": .array(sessions.map(\.json)), "is_complete": .bool(found.count <= limit),
            ])
        case .text where sessions.isEmpty: global.note("There are no sessions.")
        case .text:
            var table = TextTable(["Id", "Username", "Device", "Started", "Last used", "Ends unless used"])
            for session in sessions {
                table.add([
                    session.id.description, session.username, session.label?.text, session.createdAt.text,
                    session.lastUsedAt.text, session.idleExpiresAt.text,
                ])
            }
            try Output.standard.write(table.text)
            if found.count > limit { global.note("There are more: name a username, or raise --limit.") }
        }
    }
}

struct SessionEndCommand: AsynchronousCommand, ResultWriting {
    static let configuration = CommandConfiguration(
        commandName: "end",
        abstract: "End one session, or all sessions of a profile: every service refuses them within 250 ms.",
        discussion: """
            Exits 1 when there is no such session or profile.

              profiles session end 5f0c2f7be9a1d4c3
              profiles session end --all skboard
            """)

    @Argument(
        help: "The session's id, as \"profiles session list\" shows it; never its token.", transform: Self.id)
    var id: TokenID?

    @Option(help: ArgumentHelp("End every session of this profile.", valueName: "username"))
    var all: String?

    @OptionGroup var noSecrets: NoSecretArguments
    @OptionGroup var store: StoreOptions
    @OptionGroup var result: ResultOptions

    private static func id(_ text: String) throws -> TokenID {
        guard let id = TokenID(text) else { throw ValidationError("An id is 16 digits and letters from a to f.") }
        return id
    }

    func validate() throws {
        try all?.requireNoToken()
        guard (id == nil) != (all == nil) else {
            throw ValidationError("Give the id of the session to end, or --all with a username.")
        }
    }

    func run() async throws {
        try await global.withStore("session end", inOneCall: true) { repository in
            if let all {
                let count = try await repository.sessions.endAll(of: all)
                try global.confirm(
                    "Ended \(count) session\(count == 1 ? "" : "s") of \(all)",
                    ["ended": .number(count), "username": .string(all)])
            } else if let id {
                guard let session = try await repository.sessions.end(id) else {
                    throw CommandFailure(
                        .no, "There is no session \(id); it may have ended by itself",
                        "\"profiles session list\" lists them")
                }
                try global.confirm(
                    "Ended the session \(id) of \(session.username)",
                    ["ended": 1, "id": .string(id.description), "username": .string(session.username)])
            }
        }
    }
}
