/// Which rules something was judged by.
public struct SchemaReference: Hashable, Sendable {
    /// What the schema is called.
    public let name: String
    /// In the store; nil for a schema that is not from one.
    public let version: Int?
    /// SHA-256 of the schema's document, in lower-case hexadecimal digits.
    public let fingerprint: String

    package init(name: String, version: Int?, fingerprint: String) {
        self.name = name
        self.version = version
        self.fingerprint = fingerprint
    }
}
