package import ProfileCore

/// The outcome of a write with an idempotency key. The store keeps the outcome, and returns it if the write is
/// repeated.
package enum KeyedOutcome: Sendable {
    /// The profile that the write stored or removed, in its state at that time.
    case profile(Profile)
    /// Whether the write changed anything.
    case done(Bool)
    /// A number: the version of the adopted schema.
    case number(Int)
    /// The write was refused with this error.
    case refused(ProfileStoreError)
}

/// The result of a write that may have a key.
package protocol KeyedValue: Sendable {
    var outcome: KeyedOutcome { get }

    /// Creates the result from an outcome; nil if the outcome belongs to another kind of write.
    init?(_ outcome: KeyedOutcome)
}

extension Profile: KeyedValue {
    package var outcome: KeyedOutcome { .profile(self) }

    package init?(_ outcome: KeyedOutcome) {
        guard case .profile(let profile) = outcome else { return nil }
        self = profile
    }
}

extension Bool: KeyedValue {
    package var outcome: KeyedOutcome { .done(self) }

    package init?(_ outcome: KeyedOutcome) {
        guard case .done(let isDone) = outcome else { return nil }
        self = isDone
    }
}

extension Int: KeyedValue {
    package var outcome: KeyedOutcome { .number(self) }

    package init?(_ outcome: KeyedOutcome) {
        guard case .number(let number) = outcome else { return nil }
        self = number
    }
}

extension KeyedOutcome {
    /// Creates an outcome from the answer to a write.
    package init(_ answer: Result<some KeyedValue, ProfileStoreError>) {
        self =
            switch answer {
            case .success(let value): value.outcome
            case .failure(let error): .refused(error)
            }
    }

    /// Returns the answer to a repeat of the write.
    package func answer<Value: KeyedValue>() -> Result<Value, ProfileStoreError> {
        if case .refused(let error) = self { return .failure(error) }
        if let value = Value(self) { return .success(value) }
        // The kind of the stored outcome differs from the expected kind only if another program has changed the stored
        // outcome.
        return .failure(.corrupt(.foreignOutcome))
    }
}

// MARK: Running a write once

/// The result of a write transaction, with or without a key: the answer to the caller, and whether a change was logged.
package struct AnsweredWrite<Value: Sendable>: Sendable {
    package let answer: Result<Value, ProfileStoreError>
    package let isChange: Bool
}

extension WriteStamp {
    /// Runs a write in the open transaction of an engine. If a write with the same key was made before, the write is
    /// not run again. The caller then gets the answer of the first write, even if the first write was refused.
    ///
    /// - Parameters:
    ///   - find: Reads the stored outcome of the request.
    ///   - store: Stores the outcome of the request.
    ///   - write: Writes, and returns whether it logged a change. If the closure throws an error, it has stored
    ///     nothing.
    /// - Returns: The answer of this write. If this write is a repeat, the result is the answer of the first write.
    /// - Throws: An error of `find` or `store`. If an error of `write` is an answer to the request, the error is
    ///   returned and stored. Any other error of `write` is thrown.
    package func once<Value: KeyedValue>(
        find: (KeyedRequest) throws -> KeyedOutcome?, store: (KeyedOutcome, KeyedRequest) throws -> Void,
        _ write: () throws -> (value: Value, isChange: Bool)
    ) throws -> AnsweredWrite<Value> {
        if let request, let outcome = try find(request) {
            return AnsweredWrite(answer: outcome.answer(), isChange: false)
        }
        let written: AnsweredWrite<Value>
        do {
            let (value, isChange) = try write()
            written = AnsweredWrite(answer: .success(value), isChange: isChange)
        } catch let error as ProfileStoreError {
            guard let request, request.isAnswered(by: error) else { throw error }
            written = AnsweredWrite(answer: .failure(error), isChange: false)
        }
        if let request { try store(KeyedOutcome(written.answer), request) }
        return written
    }
}

// MARK: The stored form

extension KeyedRequest {
    /// Reads the outcome that is stored under the request's key.
    ///
    /// - Parameters:
    ///   - fingerprint: The fingerprint of the request that the outcome belongs to.
    ///   - text: The stored form of the outcome.
    ///   - schema: The rules in force. If these rules do not have the field of a stored value, the value is omitted.
    /// - Returns: The outcome.
    /// - Throws: `keyReused` if the key belongs to another request, `corrupt` if the text cannot be read.
    package func outcome(
        of fingerprint: String?, stored text: String?, under schema: ProfileSchema
    ) throws(ProfileStoreError) -> KeyedOutcome {
        guard fingerprint == self.fingerprint else { throw .keyReused(key) }
        guard let outcome = KeyedOutcome(stored: text ?? "", under: schema) else { throw .corrupt(.unreadableOutcome) }
        return outcome
    }
}

extension ProfileStoreError {
    /// Whether a repeat of a keyed write gets this error again. Any other error may have a temporary cause, so a repeat
    /// runs the write again.
    package var isAnswer: Bool {
        switch reason {
        case .notFound, .duplicate, .staleRevision: true
        default: false
        }
    }
}

extension KeyedOutcome {
    /// The stored form, as JSON.
    package var stored: String { json.text() }

    /// Returns the first characters of the stored form of an outcome that contains the profile with this id. No other
    /// outcome begins with them.
    package static func storedBeginning(ofProfile id: Int64) -> String { "{\"profile\":{\"id\":\(id)," }

    private var json: JSONValue {
        switch self {
        case .profile(let profile): ["profile": profile.remembered]
        case .done(let isDone): ["done": .bool(isDone)]
        case .number(let number): ["number": .number(number)]
        case .refused(let error): ["refused": error.remembered]
        }
    }

    fileprivate init?(stored text: String, under schema: ProfileSchema) {
        guard case .object(let members)? = try? JSONValue(parsing: text), let member = members.first else { return nil }
        switch (member.name, member.value) {
        case ("profile", let value):
            guard let profile = Profile(remembered: value, under: schema) else { return nil }
            self = .profile(profile)
        case ("done", .bool(let isDone)): self = .done(isDone)
        case ("number", .number(let text)):
            guard let number = Int(text) else { return nil }
            self = .number(number)
        case ("refused", let value):
            guard let error = ProfileStoreError(remembered: value) else { return nil }
            self = .refused(error)
        default: return nil
        }
    }
}

extension Profile {
    fileprivate var remembered: JSONValue {
        var values: [JSONMember] = []
        for field in fields {
            if let value = field.value { values.append(JSONMember(field.rules.name.text, .string(value))) }
        }
        return [
            "id": .number(id), "revision": .number(revision),
            "created_at": .number(createdAt.millisecondsSince1970),
            "updated_at": .number(updatedAt.millisecondsSince1970), "schema_version": .number(schemaVersion),
            "has_password": .bool(hasPassword), "issues": .array(issues.map(\.json)), "values": .object(values),
        ]
    }

    fileprivate init?(remembered: JSONValue, under schema: ProfileSchema) {
        let facts = RememberedFacts(remembered)
        guard let id = facts.number("id"), let revision = facts.number("revision"),
            let createdAt = facts.number("created_at"), let updatedAt = facts.number("updated_at"),
            let schemaVersion = facts.number("schema_version"), case .bool(let hasPassword)? = facts["has_password"],
            case .array? = facts["issues"], let issues = facts["issues"]?.text(), let values = facts["values"]
        else { return nil }
        let texts = RememberedFacts(values)
        self.init(
            id: id, revision: revision, createdAt: Timestamp(millisecondsSince1970: createdAt),
            updatedAt: Timestamp(millisecondsSince1970: updatedAt), schemaVersion: Int(schemaVersion),
            issues: [ReportedIssue](stored: issues), hasPassword: hasPassword, schema: schema,
            values: schema.openFields.map { texts.string($0.name.text) })
    }
}

extension ProfileStoreError {
    fileprivate var remembered: JSONValue {
        switch reason {
        case .notFound(let username): ["reason": "not_found", "username": .string(username)]
        case .duplicate(let fields):
            ["reason": "duplicate", "fields": .array(fields.map { .string($0.text) })]
        case .staleRevision(let expected, let current):
            ["reason": "stale_revision", "expected": .number(expected), "current": .number(current)]
        default: .null
        }
    }

    fileprivate init?(remembered: JSONValue) {
        let facts = RememberedFacts(remembered)
        switch facts.string("reason") {
        case "not_found":
            guard let username = facts.string("username") else { return nil }
            self = .notFound(username: username)
        case "duplicate": self = .duplicate(facts.strings("fields").compactMap(FieldName.init))
        case "stale_revision":
            guard let expected = facts.number("expected"), let current = facts.number("current") else { return nil }
            self = .staleRevision(expected: expected, current: current)
        default: return nil
        }
    }
}

/// The members of a stored object, by name.
private struct RememberedFacts {
    private let members: [String: JSONValue]

    init(_ value: JSONValue) {
        guard case .object(let members) = value else {
            self.members = [:]
            return
        }
        self.members = Dictionary(members.map { ($0.name, $0.value) }) { first, _ in first }
    }

    subscript(name: String) -> JSONValue? { members[name] }

    func number(_ name: String) -> Int64? {
        if case .number(let text)? = members[name] { Int64(text) } else { nil }
    }

    func string(_ name: String) -> String? {
        if case .string(let text)? = members[name] { text } else { nil }
    }

    func strings(_ name: String) -> [String] {
        guard case .array(let elements)? = members[name] else { return [] }
        return elements.compactMap { if case .string(let text) = $0 { text } else { nil } }
    }
}
