/// All errors of a refused schema file.
public struct SchemaFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// The errors. There is at least one error.
    public let errors: [SchemaError]

    init(_ errors: [SchemaError]) { self.errors = errors }

    /// The path and the reason of each error in English. Each error is on its own line.
    public var description: String { errors.map(\.description).joined(separator: "\n") }
}

/// Collects the errors of a schema file while it is read. If a part of the file is wrong, the parts that depend on it
/// are not checked. So one mistake is reported only once.
final class SchemaErrors {
    private(set) var list: [SchemaError] = []

    func report(_ path: String, _ reason: SchemaError.Reason) { list.append(SchemaError(path, reason)) }

    /// Runs a closure, and returns true if the closure reported no error.
    func areNone(after work: () -> Void) -> Bool {
        let before = list.count
        work()
        return list.count == before
    }
}
