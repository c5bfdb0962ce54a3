/// The path of a route, with the names of its parameters in braces: `/v1/profiles/{key}/history`.
struct PathTemplate: Hashable, Sendable, CustomStringConvertible {
    let text: String
    let parts: [Part]

    enum Part: Hashable, Sendable {
        case literal(String)
        /// One segment of the path.
        case parameter(String)
        /// The key of a profile, or `by-id` and its id.
        case profile
    }

    init(_ text: String) {
        self.text = text
        parts = text.split(separator: "/").map { segment in
            guard segment.hasPrefix("{"), segment.hasSuffix("}") else { return .literal(String(segment)) }
            let name = String(segment.dropFirst().dropLast())
            return name == "key" ? .profile : .parameter(name)
        }
    }

    var description: String { text }
}
