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

extension String {
    /// The text as an error or a message quotes it: what is long is cut, and ends with `…`.
    ///
    /// By scalars, since one character may be of any length.
    package var shortened: String {
        guard let end = unicodeScalars.index(startIndex, offsetBy: 64, limitedBy: endIndex), end < endIndex else {
            return self
        }
        return String(self[..<end]) + "…"
    }
}
