/// What somebody typed or sent: values by field name, trusted for nothing.
///
/// ``ProfileValidator`` makes a ``ValidProfile`` of it, or says everything that is wrong with it.
public struct ProfileDraft: Sendable {
    /// All but the password, by the name of the field.
    public private(set) var values: [String: DraftValue] = [:]
    /// The password as typed.
    public var password: Secret?
    /// A hash that one has already, in place of the password; see ``PasswordHash``.
    public var passwordHash: String?

    /// Makes a draft without values.
    public init() {}

    /// Makes a draft of typed text by field; `password` and `password_hash` mean what they mean in the subscript.
    public init(_ values: [String: String]) {
        for (name, value) in values { self[name] = value }
    }

    /// Makes a draft of typed text by field.
    public init(_ values: [FieldName: String]) {
        for (name, value) in values { self[name] = value }
    }

    /// The value of a field, as the subscript by its text says.
    public subscript(name: FieldName) -> DraftValue? {
        get { self[name.text] }
        set { self[name.text] = newValue }
    }

    /// The value of a field. Text for `password` becomes a ``Secret`` and does not come back; `password_hash` is the hash
    /// that stands in for it.
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

    /// Sets the value of a field to typed text. Read ``DraftValue/text`` of the value instead: text alone would lose the
    /// notation.
    @_disfavoredOverload
    public subscript(name: FieldName) -> String? {
        @available(*, unavailable, message: "Read the text of the value: draft[name]?.text")
        get { self[name.text]?.text }
        set { self[name.text] = newValue }
    }

    /// Sets the value of a field to typed text. Read ``DraftValue/text`` of the value instead: text alone would lose the
    /// notation.
    @_disfavoredOverload
    public subscript(name: String) -> String? {
        @available(*, unavailable, message: "Read the text of the value: draft[name]?.text")
        get { self[name]?.text }
        set { self[name] = newValue.map(DraftValue.init(_:)) }
    }

    /// Takes over every value of another draft, as a request that changes some fields does. A password or a hash there
    /// replaces both here; fields that the other draft does not have keep their values.
    public mutating func merge(_ changes: ProfileDraft) {
        values.merge(changes.values) { $1 }
        if changes.password != nil || changes.passwordHash != nil {
            password = changes.password
            passwordHash = changes.passwordHash
        }
    }

    /// The name under which a brought hash stands in drafts, files and requests.
    public static let hashName = "password_hash"
}

extension ProfileDraft: Decodable {
    /// Reads an object of values by field. Text has the notation of the field, numbers and booleans have that of JSON;
    /// null is no value.
    ///
    /// A password goes through the decoder's own memory, which is not zeroed; hand one over as a ``Secret`` where that
    /// matters.
    /// - Throws: `DecodingError` with the path of what is no single value.
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
