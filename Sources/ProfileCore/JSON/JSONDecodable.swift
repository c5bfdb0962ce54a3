/// A type that is read from a JSON value, with errors that name the member.
///
/// A service should parse the body of a request with ``JSONValue`` instead of Foundation's `JSONDecoder`. `JSONDecoder`
/// accepts an object that has a member twice, and turns fractions into `Double`.
///
/// ```swift
/// let query = try ProfileQuery(JSONValue(parsing: body))
/// ```
///
/// A service can make its own types conform. ``JSONMembers`` helps to read their members.
public protocol JSONDecodable: Decodable {
    /// Reads a value from its JSON form.
    ///
    /// Conforming types mark this initializer as `@_disfavoredOverload`, because a string literal can be a `JSONValue`.
    /// So `Order("phone")` calls the initializer that takes the name of a field.
    init(_ json: JSONValue) throws(JSONMemberError)
}

extension JSONDecodable {
    /// Decodes a ``JSONValue``, and reads it.
    ///
    /// - Throws: `DecodingError` with the path of the member. Its underlying error is the ``JSONMemberError``.
    public init(from decoder: any Decoder) throws {
        let json = try JSONValue(from: decoder)
        do throws(JSONMemberError) {
            try self.init(json)
        } catch {
            let context = DecodingError.Context(
                codingPath: decoder.codingPath + error.path.map(JSONKey.init(_:)), debugDescription: error.reason.text,
                underlyingError: error)
            if case .wrongType = error.reason { throw DecodingError.typeMismatch(Self.self, context) }
            throw DecodingError.dataCorrupted(context)
        }
    }
}
