/// A type whose values have a JSON form: profiles, pages, reports, schemas, issues.
///
/// A service writes the form with `utf8()`. This is much faster than an `Encoder`, and numbers keep every digit:
///
/// ```swift
/// response.write(profile.json.utf8())
/// ```
///
/// An `Encoder` gets the same members, but rounds a fraction to a `Double`.
public protocol JSONEncodable: Encodable {
    /// The value as JSON, in the form that the command `profiles` prints with `--format json`.
    var json: JSONValue { get }
}

extension JSONEncodable {
    /// Encodes ``json``.
    public func encode(to encoder: any Encoder) throws { try json.encode(to: encoder) }
}
