/// What somebody typed or sent: raw text by field name, trusted for nothing.
///
/// ``ProfileValidator`` makes a ``ValidProfile`` of it, or says everything that is wrong with it.
public struct ProfileDraft: Sendable {
    /// All but the password, by the name of the field.
    public private(set) var values: [String: String] = [:]
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

    /// The raw text of a field. Text for `password` becomes a ``Secret`` and does not come back; `password_hash` is
    /// the hash that stands in for it.
    public subscript(name: String) -> String? {
        get { name == Self.hashName ? passwordHash : values[name] }
        set {
            switch name {
            case FieldName.password.text: password = newValue.map(Secret.init)
            case Self.hashName: passwordHash = newValue
            default: values[name] = newValue
            }
        }
    }

    /// The name under which a brought hash stands in drafts, files and requests.
    public static let hashName = "password_hash"
}
