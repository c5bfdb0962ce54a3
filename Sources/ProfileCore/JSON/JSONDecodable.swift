/// A type that is read from a JSON value. An error contains the path of the wrong member.
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
    /// Conforming types mark this initializer as `@_disfavoredOverload`. A string literal can be a `JSONValue` or a
    /// ``FieldName``. With this mark, `ProfileQuery.Order("phone")` uses the literal as a ``FieldName``.
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
