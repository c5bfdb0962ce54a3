/// Why a schema file is refused, and where in it.
public struct SchemaError: Error, Hashable, Sendable {
    /// A JSON path such as `$.fields[2].constraints.minLength`; `$` is the whole text.
    public let path: String
    /// Reads on from "… is refused: ".
    public let reason: String

    init(_ path: String, _ reason: String) {
        self.path = path
        self.reason = reason
    }
}

extension SchemaError: CustomStringConvertible {
    public var description: String { "\(path): \(reason)" }
}
