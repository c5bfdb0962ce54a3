internal import ArgumentParser
internal import ProfileCore

/// The source of a password. A password is never an argument (P12).
struct PasswordOptions: ParsableArguments {
    @Flag(name: .customLong("password-stdin"), help: "Read the password from standard input.")
    var readsStandardInput = false

    @Option(
        name: .customLong("password-file"),
        help: ArgumentHelp("Read the password from a file; one final line end is not part of it.", valueName: "file"),
        completion: .file())
    var file: String?

    @OptionGroup var noSecrets: NoSecretArguments

    func validate() throws {
        guard !readsStandardInput || file == nil else {
            throw ValidationError("Give --password-stdin or --password-file, not both.")
        }
    }

    var isGiven: Bool { readsStandardInput || file != nil }

    /// Reads the password from the source that the options name. Returns nil if the options name no source.
    func read() throws(CommandFailure) -> Secret? {
        if readsStandardInput { return try SecretInput.readOne("-") }
        return try file.map { path throws(CommandFailure) in try SecretInput.readOne(path) }
    }

    /// Asks for a new password twice.
    ///
    /// - Throws: A failure if the two entries differ.
    static func ask() throws -> Secret {
        let password = try SecretPrompt.ask("Password")
        guard try SecretPrompt.ask("Repeat password") == password else {
            throw CommandFailure(.no, "Passwords do not match")
        }
        return password
    }
}

/// Refuses secrets in arguments. The message does not repeat the secrets. The message of argument-parser would repeat
/// them.
struct NoSecretArguments: ParsableArguments {
    @Option(name: [.customLong("password"), .customLong("passcode"), .customLong("secret")], help: .hidden)
    var secret: String?

    @Argument(help: .hidden)
    var surplus: [String] = []

    func validate() throws {
        guard secret == nil else { throw Self.refusal }
        guard surplus.isEmpty else { throw ValidationError(Self.surplusRefusal) }
    }

    static let surplusRefusal = """
        There is one argument too many. It is not repeated here, since it could be a secret. Give a secret on standard \
        input, in a file, or at the prompt.
        """

    static var refusal: ValidationError {
        ValidationError(
            """
            A secret must not be an argument, because other users can read arguments. Give it on standard input, in a \
            file, or at the prompt.
            """)
    }
}

extension PasswordOptions {
    /// Refuses to read both the JSON and the password from standard input.
    func validate(besides fields: FieldOptions) throws(ValidationError) {
        guard readsStandardInput, fields.json == "-" else { return }
        throw ValidationError("Standard input is the JSON (--json -) or the password (--password-stdin), not both.")
    }
}
