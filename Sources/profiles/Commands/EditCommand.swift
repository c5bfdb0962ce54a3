internal import ArgumentParser
internal import ProfileCore
internal import ProfileStore

struct EditCommand: AsynchronousCommand, SecretTaking, ResultWriting {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "edit",
            abstract: "Change a profile, or all profiles that meet conditions.",
            discussion: """
                Without any change on the command line, a form on the terminal shows the stored values and asks for \
                changes: on a screen, or line by line with --plain. On the screen, Ctrl-O shows the history of the \
                profile. Line by line, an empty answer keeps a value, and - alone clears an optional one. Fields that are \
                not named keep their values. With --if-revision, a profile that has changed since that revision is not \
                edited (exit 1).

                  profiles edit skboard
                  profiles edit skboard --phone 7876-1242
                  profiles edit skboard --clear postal_code --if-revision 3
                  profiles edit skboard --password-stdin < secret

                With conditions, the command edits all profiles that meet them. Before that, it shows some differences \
                and asks. A value may then use the present values of fields in braces. Profiles that would be invalid \
                stay as they are (exit 1). The key and secrets cannot be set in this way. "profiles undo" reverts the \
                edit.

                  profiles edit --where town=Lodnon --set town=London
                  profiles edit --all --set 'place={town} {postal_code}' --dry-run

                \(CompletedWords.fieldList)
                """)
    }

    @Argument(help: ArgumentHelp("The username of the profile.", valueName: "username"))
    var who: String?

    @OptionGroup var fields: FieldOptions

    @Option(
        help: ArgumentHelp("Clear a field; may be repeated.", valueName: "field"),
        completion: CompletedWords.fields)
    var clear: [String] = []

    @Option(help: ArgumentHelp("Edit the profile only if it has this revision.", valueName: "n"))
    var ifRevision: Int64?

    @OptionGroup var conditions: ConditionOptions
    @OptionGroup var many: ManyOptions
    @OptionGroup var password: PasswordOptions
    @OptionGroup var asking: AskingOptions
    @OptionGroup var store: StoreOptions
    @OptionGroup var result: ResultOptions

    private var namesChanges: Bool { !fields.isEmpty || !clear.isEmpty || password.isGiven }

    func validate() throws {
        let isMany = try many.areMeant(insteadOf: who, with: conditions)
        guard isMany || who != nil else {
            throw ValidationError("Name a profile, or give --where or another condition for many profiles.")
        }
        guard isMany || !many.yes else { throw ValidationError("--yes is for the edit of many profiles.") }
        if isMany {
            guard !password.isGiven, fields.username == nil, ifRevision == nil else {
                throw ValidationError("The key, a password and --if-revision are for one profile.")
            }
            guard !fields.isEmpty || !clear.isEmpty else {
                throw ValidationError("Say what to change in these profiles: --set FIELD=VALUE or --clear FIELD.")
            }
            return
        }
        guard namesChanges || global.canAsk else {
            throw ValidationError(
                "Say what to change: --phone, --address and so on, --set FIELD=VALUE, --json FILE, --clear FIELD, --password-stdin."
            )
        }
        guard !clear.contains(FieldName.password.text) else { throw ValidationError("A password cannot be cleared.") }
        try password.validate(besides: fields)
    }

    func run() async throws {
        guard let who else { return try await editMany() }
        if !namesChanges, let asking = global.asking(asking) {
            try await ask(asking, of: who)
        } else {
            try await edit(who)
        }
    }

    private func ask(_ asking: Asking, of who: String) async throws {
        try await global.withStore("edit") { repository in
            let stored = try await repository.profile(username: who, expecting: ifRevision)
            switch asking {
            case .onScreen: try global.show(try await EditForm(repository: repository, stored: stored).run())
            case .byLine:
                var form = PlainForm(editing: stored, in: repository)
                try global.show(try await form.run())
            }
        }
    }

    private func edit(_ who: String) async throws {
        let changes = try fields.values()
        let secret = try password.read()
        // An empty password would leave the stored password unchanged, and the edit would still report a success.
        guard secret?.isEmpty != true else { throw CommandFailure(.badInput, "The new password is empty") }
        try await global.withStore("edit", inOneCall: true) { repository in
            let schema = repository.schema
            let named = try changes.clearing(clear, in: schema).named(in: schema)
            do {
                let profile = try await repository.edit(who, expecting: ifRevision) { draft in
                    draft.take(named)
                    if let secret { draft.password = secret }
                }
                try global.show(profile)
            } catch {
                throw try global.refusal(error, schema, "\(who)'s profile is as it was")
            }
        }
    }
}
