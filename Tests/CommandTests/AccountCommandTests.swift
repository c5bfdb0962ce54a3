import ProfileCore
import ProfileStore
import ProfileStoreSQLite
import ProfileTesting
import Testing
import Watchdog

/// Resets, sessions and access tokens.
@Suite(.watched) struct AccountCommandTests {
    private let workplace: Workplace

    init() throws {
        workplace = try Workplace()
        try workplace.register("anna")
    }

    private func member(_ name: String, of json: String) throws -> String {
        let value = try JSONValue(parsing: Array(json.utf8).span)
        guard case .object(let members) = value,
            case .string(let text)? = members.first(where: { $0.name == name })?.value
        else { throw UnexpectedOutcome(outcome: Workplace.Outcome(status: 0, output: json, error: "")) }
        return text
    }

    // MARK: Resets

    @Test func `H4, P12: a reset prints its token alone, and sets the password once`() throws {
        let issued = try workplace.profiles("reset", "ANNA")
        #expect(issued.status == 0)
        let token = issued.output.dropLast()
        #expect(issued.output.hasPrefix("pr_") && issued.output.hasSuffix("\n") && token.count == 46)
        #expect(issued.error.hasPrefix("Give this token to anna. It sets a password once, "), "\(issued.error)")
        #expect(!issued.error.contains(token))
        #expect(try workplace.profiles("login", "anna", "--password-stdin", input: "aK8oio").status == 0)

        let refused = try workplace.profiles("reset", "--redeem", "--stdin", input: "\(token)\nshort\n")
        #expect(refused.status == 1 && refused.output == "")
        #expect(refused.error.hasPrefix("Error: The profile is not valid. The password is as it was"))
        #expect(!refused.error.contains(token) && !refused.error.contains("short\n"))
        let set = try workplace.profiles("reset", "--redeem", "--stdin", input: "\(token)\nbL9pjp")
        #expect(set == Workplace.Outcome(status: 0, output: "Password of anna set\n", error: ""))
        #expect(try workplace.profiles("login", "anna", "--password-stdin", input: "aK8oio").status == 1)
        #expect(try workplace.profiles("login", "anna", "--password-stdin", input: "bL9pjp").status == 0)

        let again = try workplace.profiles("reset", "--redeem", "--stdin", input: "\(token)\ncM8qkq\n")
        #expect(again.status == 1)
        #expect(again.error.hasPrefix("Error: The token is not for a reset, was used, or has expired\n"))
        let file = try #require(SmallFile.bytes(of: "\(workplace.folder)/store.sqlite"))
        #expect(file.firstRange(of: Array(token.utf8.dropFirst(3))) == nil)
    }

    @Test func `a reset is issued and redeemed in JSON, and an unknown username is an error`() throws {
        let issued = try workplace.profiles("reset", "anna", "--valid-for", "30m", "--format", "json", "--quiet")
        #expect(issued.error == "")
        let token = try member("token", of: issued.output)
        #expect(try member("username", of: issued.output) == "anna")
        let set = try workplace.profiles(
            "reset", "--redeem", "--stdin", "--format", "json", input: "\(token)\r\nbL9pjp\r\n")
        #expect(try member("username", of: set.output) == "anna" && set.status == 0)
        #expect(try workplace.profiles("reset", "nobody").status == 1)
        #expect(try workplace.profiles("reset", "nobody").error == "Error: There is no profile \"nobody\"\n")
    }

    @Test(arguments: [
        ["reset"], ["reset", "anna", "--redeem"], ["reset", "anna", "--stdin"], ["reset", "anna", "bert"],
        ["reset", "--redeem", "--valid-for", "1h"], ["reset", "anna", "--valid-for", "1"],
        ["reset", "anna", "--valid-for", "0h"], ["reset", "anna", "--valid-for", "99999d"],
        ["reset", "anna", "--valid-for", "-1h"], ["reset", "anna", "--valid-for", "+1h"],
        ["reset", "anna", "--valid-for", "9223372036854775807w"], ["reset", "--redeem"], ["token", "create"],
        ["token", "create", "a", "--scope", "Read"], ["token", "create", "a", "--expires", "soon"],
        ["token", "create", "a\nb"], ["session", "end"], ["session", "end", "5f0c2f7be9a1d4c3", "--all", "anna"],
        ["session", "end", "17"], ["session", "list", "--limit", "0"],
    ])
    func `wrong arguments of reset, token and session are usage errors`(arguments: [String]) throws {
        let outcome = try workplace.run(
            [try Workplace.binary()] + arguments, input: "", environment: workplace.environment)
        #expect(outcome.status == 64, "\(outcome)")
        #expect(outcome.output == "")
    }

    @Test func `P12: a token among the arguments is refused and repeated nowhere`() throws {
        let token = "_" + String(repeating: "A", count: 43)
        for arguments in [
            ["reset", "pr" + token], ["reset", "--redeem", "pr" + token], ["token", "revoke", "pt" + token],
            ["session", "end", "ps" + token], ["session", "end", "--all", "ps" + token],
            ["session", "list", "ps" + token],
            ["token", "create", "pt" + token], ["token", "create", "a", "pt" + token], ["token", "pt" + token],
            ["token", "create", "a", "--scope", "pt" + token],
        ] {
            let outcome = try workplace.run([try Workplace.binary()] + arguments, input: "", environment: [:])
            #expect(outcome.status == 64, "\(arguments)")
            #expect(outcome.output == "" && !outcome.error.contains("AAAA"), "\(outcome.error)")
        }
    }

    @Test func `P12: a person is asked for the token and the new password, without echo`() throws {
        let token = try workplace.profiles("reset", "anna").output.dropLast()
        let session = try TerminalDriver(workplace, "reset", "--redeem")
        try session.wait(for: "Token: ")
        #expect(!session.echoes)
        try session.type("\(token)\n")
        try session.wait(for: "Password: ")
        try session.type("bL9pjp\n")
        try session.wait(for: "Repeat password: ")
        try session.type("bL9pjp\n")
        #expect(try session.end() == 0)
        #expect(session.transcript.contains("Password of anna set"))
        #expect(!session.transcript.contains(token) && !session.transcript.contains("bL9pjp"))
    }

    // MARK: Access tokens

    @Test func `H4: an access token is made, listed without its secret, and revoked`() throws {
        let made = try workplace.profiles(
            "token", "create", "nightly", "--scope", "write", "--scope", "read", "--expires", "90d")
        #expect(made.status == 0 && made.output.hasPrefix("pt_") && made.output.count == 47)
        let text = made.error.reproducible(workplace).replacing(/[0-9a-f]{16}/, with: "ID")
        #expect(
            text == "Created the access token nightly (id ID) with the scopes read, write. It expires at TIME.\n"
                + "It is not shown again. Revoke it with \"profiles token revoke ID\".\n")
        let json = try workplace.profiles("token", "create", "console", "--format", "json").output
        #expect(try member("token", of: json).hasPrefix("pt_"))
        let id = try member("id", of: json)

        let again = try workplace.profiles("token", "create", "Nightly")
        #expect(again.status == 1 && again.output == "")
        #expect(again.error.hasPrefix("Error: There is an access token \"Nightly\" already\n"))

        let list = try workplace.profiles("token", "list")
        #expect(
            list.output.reproducible(workplace).replacing(/[0-9a-f]{16}/, with: "ID") == """
                Id                Name     Scopes       Created                  Last used  Expires
                ID  console  read         TIME  –          –
                ID  nightly  read, write  TIME  –          TIME

                """)
        let all = try workplace.profiles("token", "list", "--format", "json")
        for secret in [String(made.output.dropLast()), try member("token", of: json)] {
            #expect(!list.output.contains(secret.dropFirst(3).prefix(12)))
            #expect(!all.output.contains(secret.dropFirst(3).prefix(12)))
        }
        #expect(try workplace.profiles("token", "revoke", "NIGHTLY").status == 0)
        #expect(
            try workplace.profiles("token", "revoke", id).output == "Revoked the access token console (id \(id))\n")
        #expect(try workplace.profiles("token", "revoke", id).status == 1)
        #expect(try workplace.profiles("token", "list").error == "There are no access tokens.\n")
        #expect(
            try workplace.profiles("token", "list", "--format", "json").output == "{\n  \"tokens\": []\n}\n")
    }

    // MARK: Sessions

    @Test func `sessions are listed and ended`() async throws {
        try workplace.register("bert")
        let tokens = try await workplace.startSessions(of: ["anna", "anna", "bert"])
        let list = try workplace.profiles("session", "list")
        #expect(list.status == 0 && list.error == "")
        #expect(list.output.split(separator: "\n").count == 4)
        #expect(
            list.output.contains("Firefox") && !tokens.contains { list.output.contains($0.dropFirst(3).prefix(12)) })
        let first = try workplace.profiles("session", "list", "bert", "--format", "json").output
        let id = try #require(first.firstMatch(of: /"id": "([0-9a-f]{16})"/)).output.1
        #expect(first.contains("\"is_complete\": true"))
        let short = try workplace.profiles("session", "list", "--limit", "2")
        #expect(short.output.split(separator: "\n").count == 3)
        #expect(short.error == "There are more: name a username, or raise --limit.\n")

        #expect(try workplace.profiles("session", "end", String(id)).output == "Ended the session \(id) of bert\n")
        #expect(try workplace.profiles("session", "end", String(id)).status == 1)
        #expect(try workplace.profiles("session", "end", "--all", "Anna").output == "Ended 2 sessions of Anna\n")
        #expect(try workplace.profiles("session", "end", "--all", "nobody").status == 1)
        #expect(try workplace.profiles("session", "list").error == "There are no sessions.\n")
        #expect(try workplace.profiles("session", "list", "nobody").status == 1)
    }

    @Test func `H4: an edit of the password by the command ends the sessions of a service`() async throws {
        _ = try await workplace.startSessions(of: ["anna"])
        #expect(try workplace.profiles("edit", "anna", "--phone", "78761242", "--quiet").status == 0)
        #expect(try workplace.profiles("session", "list", "anna").error == "")
        #expect(try workplace.profiles("edit", "anna", "--password-stdin", input: "bL9pjp").status == 0)
        #expect(try workplace.profiles("session", "list", "anna").error == "There are no sessions.\n")
    }

    @Test func `subcommands and options of access are completed in bash`() throws {
        let script = """
            source <(profiles completion bash)
            for words in "session e" "token r" "reset --re" "token create --e"; do
                eval "COMP_WORDS=(profiles $words)"; COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); COMP_LINE="${COMP_WORDS[*]}"
                COMP_POINT=${#COMP_LINE}; COMPREPLY=()
                completing=$(complete -p profiles | sed 's/.*-F \\([^ ]*\\) .*/\\1/')
                "$completing" profiles "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD-1]}"
                echo "${COMPREPLY[@]}"
            done
            """
        #expect(try workplace.shell(script).output == "end\nrevoke\n--redeem\n--expires\n")
    }
}

extension Workplace {
    /// Starts sessions as a service does, and gives their tokens.
    fileprivate func startSessions(of usernames: [String]) async throws -> [String] {
        let repository = try await ProfileRepository.open(at: "\(folder)/store.sqlite")
        var tokens: [String] = []
        for username in usernames {
            let issued = try await repository.sessions.start(vouchingFor: username, label: AccountLabel("Firefox"))
            tokens.append(String(issued.token.bytes))
        }
        await repository.close()
        return tokens
    }
}
