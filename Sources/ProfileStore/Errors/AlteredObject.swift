/// A table, index, view or trigger of a store's database that differs from what this program creates.
public struct AlteredObject: Hashable, Sendable {
    /// The difference.
    public enum Difference: Hashable, Sendable {
        /// This program does not create the object.
        case foreign
        /// The object exists, but its definition differs from the definition in this program.
        case changed
        /// The object is missing.
        case missing
    }

    /// The difference.
    public let difference: Difference
    /// `table`, `index`, `view` or `trigger`.
    public let type: String
    /// The name of the object in the file.
    public let name: String

    package init(_ difference: Difference, type: String, name: String) {
        self.difference = difference
        self.type = type
        self.name = name
    }
}
