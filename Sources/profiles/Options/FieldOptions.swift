internal import ArgumentParser
internal import ProfileCore

/// The values of a profile's fields, as options and as JSON.
struct FieldOptions: ParsableArguments {
    @Option(help: CompletedWords.help(ofField: .username, "2 to 10 letters and digits, or the schema's primary key."))
    var username: String?

    @Option(help: CompletedWords.help(ofField: .phone, "8 digits."))
    var phone: String?

    @Option(help: CompletedWords.help(ofField: .address, "Letters and digits, in words."))
    var address: String?

    @Option(help: CompletedWords.help(ofField: .postalCode, "5 digits."))
    var postalCode: String?

    @Option(help: CompletedWords.help(ofField: .birthday, "A day, as 1998-01-15, 1998.01.15 or 19980115."))
    var birthday: String?

    @Option(
        name: .customLong("set"),
        help: ArgumentHelp(
            "Set a field by its name, title or header, or password_hash to a hash; may be repeated.",
            valueName: "field=value"),
        completion: CompletedWords.assignments)
    var assignments: [String] = []

    @Option(
        help: ArgumentHelp("Read values from a file with a JSON object; - is standard input.", valueName: "file"),
        completion: .file(extensions: ["json"]))
    var json: String?

    func validate() throws {
        _ = try parsedAssignments()
    }

    /// Whether no field is given.
    var isEmpty: Bool { username == nil && named.isEmpty && assignments.isEmpty && json == nil }

    /// The given values, by the names that the user typed.
    func values() throws -> GivenValues {
        let members = try json.map { path throws(CommandFailure) in try JSONFields.read(path) } ?? []
        let options = try (named + parsedAssignments()).map { JSONMember($0.field, .string($0.value)) }
        return GivenValues(members: members, options: options, key: username.map { .string($0) })
    }

    private var named: [(field: String, value: String)] {
        [("phone", phone), ("address", address), ("postal_code", postalCode), ("birthday", birthday)].compactMap {
            field, value in value.map { (field, $0) }
        }
    }

    private func parsedAssignments() throws(ValidationError) -> [(field: String, value: String)] {
        var parsed: [(field: String, value: String)] = []
        for assignment in assignments {
            // The messages of these errors do not repeat the argument, because the argument may be a secret (P12).
            guard let assignment = Assignment(assignment) else { throw ValidationError("--set takes FIELD=VALUE.") }
            guard assignment.field != FieldName.password.text else { throw NoSecretArguments.refusal }
            parsed.append((assignment.field, assignment.value))
        }
        return parsed
    }
}

/// Values for the fields of a profile, by the names that a user typed.
struct GivenValues {
    /// The members of a JSON object.
    var members: [JSONMember] = []
    /// The values of options. They replace those of the JSON object.
    var options: [JSONMember] = []
    /// The value of `--username`. In every schema, this option sets the primary key.
    var key: JSONValue?

    /// Returns these values, and an empty value for each field to clear.
    ///
    /// - Throws: A failure if a name means no field.
    func clearing(_ fields: [String], in schema: ProfileSchema) throws(CommandFailure) -> GivenValues {
        var values = self
        for field in fields {
            try schema.requireClearable(field)
            values.options.append(JSONMember(field, .null))
        }
        return values
    }

    /// Returns the values by the names of the fields. The values of options come last.
    ///
    /// - Throws: A failure if a name means several fields or a fact. Also a failure if two options give the same field,
    ///   or if two members of the JSON object do so. An unknown name is no error; it stays unchanged.
    func named(in schema: ProfileSchema) throws(CommandFailure) -> [JSONMember] {
        let key = key.map { [JSONMember(schema.primaryKey.name.text, $0)] } ?? []
        return try schema.named(members) + schema.named(key + options)
    }
}

extension ProfileDraft {
    /// Sets the fields to values. A null value clears its field.
    mutating func take(_ values: [JSONMember]) {
        for member in values {
            self[member.name] = DraftValue(member.value)
        }
    }
}

/// `FIELD=VALUE`.
struct Assignment: Hashable, Sendable {
    let field: String
    let value: String

    init(field: String, value: String) {
        self.field = field
        self.value = value
    }

    init?(_ text: String) {
        guard let equals = text.firstIndex(of: "="), equals > text.startIndex else { return nil }
        field = String(text[..<equals])
        value = String(text[text.index(after: equals)...])
    }
}

/// Reads values of fields from a JSON object.
enum JSONFields {
    /// Reads a file, or standard input for `-`.
    ///
    /// - Returns: The members of the object, each with a single value.
    /// - Throws: A failure if the file cannot be read, is not a JSON object, or contains a member that is an array or
    ///   an object.
    static func read(_ path: String) throws(CommandFailure) -> [JSONMember] {
        let file = try InputFile(path)
        let name = CommandFailure.named(path)
        let value = try file.withContents { bytes throws(CommandFailure) in
            do throws(JSONError) {
                return try JSONValue(parsing: bytes)
            } catch {
                throw CommandFailure(.badInput, "\(name) is not JSON: \(error.text)")
            }
        }
        guard case .object(let members) = value else {
            throw CommandFailure(.badInput, "\(name) should hold a JSON object, and holds \(value.kind.text)")
        }
        for member in members where [.array, .object].contains(member.value.kind) {
            throw CommandFailure(
                .badInput, "\(name) gives \"\(member.name)\" \(member.value.kind.text), where a single value is wanted")
        }
        return members
    }
}
