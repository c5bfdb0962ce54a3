public import ProfileCore
internal import ProfileStore

/// The profile of a user who has logged in.
public struct LoggedInProfile: Hashable, Sendable {
    /// The key of the profile in its stored form.
    public let username: String
    /// The person's name, for a greeting.
    public let name: String
    /// The values of the fields that are not secret, in their stored form. Absent values have no entry.
    public let values: [FieldName: String]

    /// The title of a dialog that shows ``greeting``.
    public static let greetingTitle = "Success"

    /// Creates the profile of a logged-in user.
    ///
    /// - Parameters:
    ///   - username: The key of the profile.
    ///   - name: The person's name, for a greeting. If nil, the greeting uses the username.
    ///   - values: The values of the fields that are not secret.
    public init(username: String, name: String? = nil, values: [FieldName: String] = [:]) {
        self.username = username
        self.name = name ?? username
        self.values = values
    }

    /// The text of the greeting alert.
    public var greeting: String { "Hello \(name)" }
}

extension LoggedInProfile {
    /// Creates a logged-in profile from the values of a schema's fields. The person's name is the value of the first
    /// field that has a value and the `contentType` `name` (as in HTML's autofill). If there is no such field, the
    /// username is used as the name.
    init(username: String, values: [FieldName: String], of schema: ProfileSchema) {
        let field = schema.openFields.first { $0.contentType == ContentType.name.rawValue && values[$0.name] != nil }
        self.init(username: username, name: field.flatMap { values[$0.name] }, values: values)
    }

    /// Creates a logged-in profile from a stored profile.
    init(_ profile: Profile) {
        self.init(username: profile.username, values: profile.valuesByField, of: profile.schema)
    }
}
