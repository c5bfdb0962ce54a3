/// A type that is read from a JSON value, with errors that name the member.
///
/// A service parses the body of a request itself. `JSONDecoder` of Foundation accepts an object that has a member
/// twice, and turns fractions into `Double`.
///
/// ```swift
/// let query = try ProfileQuery(JSONValue(parsing: body))
/// ```
///
/// A service can make its own types conform. ``JSONMembers`` helps to read their members.
public protocol JSONDecodable: Decodable {
    /// Reads a value from its JSON form.
    ///
    /// Conforming types disfavor this initializer, because a literal could also be a `JSONValue`: `Order("phone")` is the
    /// order of the field.
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
