/// What somebody typed or sent: raw text by field name, trusted for nothing.
///
/// ``ProfileValidator`` makes a ``ValidProfile`` of it, or says everything that is wrong with it.
public struct ProfileDraft: Sendable {
    /// All but the password, by the name of the field.
    public private(set) var values: [String: String] = [:]
    /// The names of the values that are written as JSON writes numbers and booleans, whatever the field's own way is.
    private var namesOfJSON: Set<String> = []
    /// The password as typed.
    public var password: Secret?
    /// A hash that one has already, in place of the password; see ``PasswordHash``.
    public var passwordHash: String?

    /// Makes a draft without values.
    public init() {}

    /// Makes a draft of raw text by field; `password` and `password_hash` mean what they mean in the subscript.
    public init(_ values: [String: String]) {
        for (name, value) in values { self[name] = value }
    }

    /// Makes a draft of raw text by field.
    public init(_ values: [FieldName: String]) {
        for (name, value) in values { self[name] = value }
    }

    /// The raw text of a field, as the subscript by its text says.
    public subscript(name: FieldName) -> String? {
        get { self[name.text] }
        set { self[name.text] = newValue }
    }

    /// The raw text of a field. Text for `password` becomes a ``Secret`` and does not come back; `password_hash` is
    /// the hash that stands in for it.
    public subscript(name: String) -> String? {
        get { name == Self.hashName ? passwordHash : values[name] }
        set {
            namesOfJSON.remove(name)
            switch name {
            case FieldName.password.text: password = newValue.map(Secret.init)
            case Self.hashName: passwordHash = newValue
            default: values[name] = newValue
            }
        }
    }

    /// The value of a field as somebody types it there.
    func typedForm(in rules: FieldRules) -> String? {
        let value = values[rules.name.text]
        return namesOfJSON.contains(rules.name.text) ? value.map(rules.typedForm) : value
    }

    /// The name under which a brought hash stands in drafts, files and requests.
    public static let hashName = "password_hash"
}

extension ProfileDraft: Decodable {
    /// Reads an object of values by field: texts as they are typed, numbers and booleans as JSON writes them, which the
    /// rules of the field then take for its own way of writing them; null is no value.
    ///
    /// A password goes through the decoder's own memory, which is not zeroed; hand one over as a ``Secret`` where that
    /// matters.
    /// - Throws: `DecodingError` with the path of what is no single value.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: JSONKey.self)
        for key in container.allKeys {
            let name = key.stringValue
            let value = try container.decode(JSONValue.self, forKey: key)
            switch value {
            case .null: self[name] = nil
            case .string(let text): self[name] = text
            case .number, .bool:
                self[name] = value.typedForm(in: nil)
                namesOfJSON.insert(name)
            case .array, .object:
                throw DecodingError.typeMismatch(
                    String.self,
                    .init(
                        codingPath: container.codingPath + [key],
                        debugDescription: "A single value is wanted, and there is \(value.kind.text)"))
            }
        }
    }
}
