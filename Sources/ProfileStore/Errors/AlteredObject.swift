/// An object of a store's database that is not as this program makes it.
public struct AlteredObject: Hashable, Sendable {
    /// How it differs.
    public enum Difference: Hashable, Sendable {
        /// This program does not make it.
        case foreign
        /// It is not as this program makes it.
        case changed
        /// It is not there.
        case missing
    }

    /// How it differs.
    public let difference: Difference
    /// `table`, `index`, `view` or `trigger`.
    public let type: String
    /// Its name, as the file has it.
    public let name: String

    package init(_ difference: Difference, type: String, name: String) {
        self.difference = difference
        self.type = type
        self.name = name
    }
}
