/// Everything that is wrong with a schema file that is refused.
public struct SchemaFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// At least one.
    public let errors: [SchemaError]

    init(_ errors: [SchemaError]) { self.errors = errors }

    /// The path and the reason of each, in English, one a line.
    public var description: String { errors.map(\.description).joined(separator: "\n") }
}

/// Gathers what is wrong with a schema file while it is read. What depends upon a part that is wrong is not judged: one
/// slip is told once.
final class SchemaErrors {
    private(set) var list: [SchemaError] = []

    func report(_ path: String, _ reason: SchemaError.Reason) { list.append(SchemaError(path, reason)) }

    /// Does something, and says whether nothing was found wrong with it.
    func areNone(after work: () -> Void) -> Bool {
        let before = list.count
        work()
        return list.count == before
    }
}
