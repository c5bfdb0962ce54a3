/// Values by field name, as a person typed them or a client sent them. They are not validated.
///
/// ``ProfileValidator`` makes a ``ValidProfile`` of a draft, or reports all of its issues.
public struct ProfileDraft: Sendable {
    /// The values of all fields except the password, by field name.
    public private(set) var values: [String: DraftValue] = [:]
    /// The typed password.
    public var password: Secret?
    /// An existing hash instead of the password; see ``PasswordHash``.
    public var passwordHash: String?

    /// Makes a draft without values.
    public init() {}

    /// Makes a draft of typed texts by field. `password` and `password_hash` have the meaning that the subscript
    /// describes.
    public init(_ values: [String: String]) {
        for (name, value) in values { self[name] = value }
    }

    /// Makes a draft of typed texts by field.
    public init(_ values: [FieldName: String]) {
        for (name, value) in values { self[name] = value }
    }

    /// The value of a field; see the subscript with a string.
    public subscript(name: FieldName) -> DraftValue? {
        get { self[name.text] }
        set { self[name.text] = newValue }
    }

    /// The value of a field. A text for `password` becomes a ``Secret`` and cannot be read back. `password_hash` is an
    /// existing hash instead of the password.
    public subscript(name: String) -> DraftValue? {
        get { name == Self.hashName ? passwordHash.map(DraftValue.init(_:)) : values[name] }
        set {
            switch name {
            case FieldName.password.text: password = newValue.map { Secret($0.text) }
            case Self.hashName: passwordHash = newValue?.text
            default: values[name] = newValue
            }
        }
    }

    /// Sets the value of a field to typed text. To read the text, use ``DraftValue/text`` of the value: this subscript
    /// would lose the notation.
    @_disfavoredOverload
    public subscript(name: FieldName) -> String? {
        @available(*, unavailable, message: "Read the text of the value: draft[name]?.text")
        get { self[name.text]?.text }
        set { self[name.text] = newValue }
    }

    /// Sets the value of a field to typed text. To read the text, use ``DraftValue/text`` of the value: this subscript
    /// would lose the notation.
    @_disfavoredOverload
    public subscript(name: String) -> String? {
        @available(*, unavailable, message: "Read the text of the value: draft[name]?.text")
        get { self[name]?.text }
        set { self[name] = newValue.map(DraftValue.init(_:)) }
    }

    /// Merges another draft into this one, as a request that changes some fields does. A password or a hash in the
    /// other draft replaces both in this one. Fields that the other draft does not have keep their values.
    public mutating func merge(_ changes: ProfileDraft) {
        values.merge(changes.values) { $1 }
        if changes.password != nil || changes.passwordHash != nil {
            password = changes.password
            passwordHash = changes.passwordHash
        }
    }

    /// The name of an existing hash in drafts, files and requests.
    public static let hashName = "password_hash"
}

extension ProfileDraft: Decodable {
    /// Decodes an object of values by field. Texts have the notation of the field; numbers and booleans have the
    /// notation of JSON; null means "no value".
    ///
    /// A password passes through the decoder's own memory, which is not zeroed. If that matters, set it as a
    /// ``Secret``.
    /// - Throws: `DecodingError` with the path of a value that is neither text, number, boolean nor null.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: JSONKey.self)
        for key in container.allKeys {
            let value = try container.decode(JSONValue.self, forKey: key)
            self[key.stringValue] = DraftValue(value)
            guard value.kind != .array, value.kind != .object else {
                throw DecodingError.typeMismatch(
                    String.self,
                    .init(
                        codingPath: container.codingPath + [key],
                        debugDescription: "A single value is wanted, and there is \(value.kind.text)"))
            }
        }
    }
}
