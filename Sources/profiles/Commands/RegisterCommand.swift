internal import ArgumentParser
internal import ProfileCore
internal import ProfileStore

struct RegisterCommand: AsynchronousCommand, SecretTaking, ResultWriting {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "register",
            abstract: "Store a new profile.",
            discussion: """
                Without any field, a form on the terminal asks for the profile: on a screen, or line by line with --plain. \
                With fields, all issues of the profile are reported at once, and an invalid profile is not stored (exit \
                1). The password is asked for on a terminal, and is never an argument.

                  profiles register
                  profiles register --username skboard --phone 78761241 --address "12 Main St"
                  profiles register --json profile.json --password-file secret.txt
                  profiles register --username sk --phone 78761241 --password-stdin < secret

                \(CompletedWords.fieldList)
                """)
    }

    @OptionGroup var fields: FieldOptions
    @OptionGroup var password: PasswordOptions
    @OptionGroup var asking: AskingOptions
    @OptionGroup var creation: CreationOption
    @OptionGroup var store: StoreOptions
    @OptionGroup var result: ResultOptions

    func validate() throws {
        guard !fields.isEmpty || global.canAsk && !password.isGiven else {
            throw ValidationError(
                "Say what the profile holds: --username, --phone, --address and so on, --set FIELD=VALUE, or --json FILE."
            )
        }
        try password.validate(besides: fields)
    }

    func run() async throws {
        if fields.isEmpty, let asking = global.asking(asking) {
            try await ask(asking)
        } else {
            try await register()
        }
    }

    private var missingStore: MissingStore { .isMade(.standard, isConfirmed: creation.create) }

    private func ask(_ asking: Asking) async throws {
        try await global.withStore("register", whenMissing: missingStore) { repository in
            switch asking {
            case .onScreen: try global.show(try await RegistrationForm(repository: repository, welcomes: true).run())
            case .byLine:
                var form = PlainForm(registeringIn: repository)
                try global.show(try await form.run())
            }
        }
    }

    private func register() async throws {
        let values = try fields.values()
        let secret = try password.read()
        let path = try global.databasePath()
        // The command asks for a missing password only if there is a terminal.
        let asksNothing = secret != nil || !global.canAsk
        try await global.withStore("register", whenMissing: missingStore, inOneCall: asksNothing) { repository in
            var draft = ProfileDraft()
            draft.take(try values.named(in: repository.schema))
            if let secret { draft.password = secret }
            let wantsPassword = repository.schema[.password]?.isRequired ?? false
            let lacksPassword = wantsPassword && draft.password == nil && draft.passwordHash == nil
            if lacksPassword, global.canAsk { draft.password = try PasswordOptions.ask() }
            do {
                let valid = try repository.validator.validate(draft, on: repository.today)
                try global.show(try await repository.register(valid))
            } catch {
                let advice =
                    "Give the password with --password-stdin or --password-file, or its hash with --set password_hash=PHC"
                throw try global.refusal(
                    error, repository.schema,
                    "Nothing was stored in \(StorePlace.isDatabase(path) ? repository.place : path)",
                    lacksPassword ? advice : nil)
            }
        }
    }
}
