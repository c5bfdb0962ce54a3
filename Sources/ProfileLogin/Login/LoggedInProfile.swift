public import ProfileCore
internal import ProfileStore

/// What is known of somebody who has logged in.
public struct LoggedInProfile: Hashable, Sendable {
    /// The key of the profile, as it was registered.
    public let username: String
    /// What to call the person by.
    public let name: String
    /// The values of the fields that are not secret, in their stored form; absent ones are not there.
    public let values: [FieldName: String]

    /// The title of a dialog that shows ``greeting``.
    public static let greetingTitle = "Success"

    /// Describes somebody.
    ///
    /// - Parameters:
    ///   - username: The key of the profile.
    ///   - name: What to call the person by; the username where there is no other.
    ///   - values: The fields that are not secret.
    public init(username: String, name: String? = nil, values: [FieldName: String] = [:]) {
        self.username = username
        self.name = name ?? username
        self.values = values
    }

    /// What the alert says.
    public var greeting: String { "Hello \(name)" }
}

extension LoggedInProfile {
    /// Somebody by the values of a schema's fields: called by the first that holds a name (`contentType` is `name`, as
    /// in HTML's autofill), if one does.
    init(username: String, values: [FieldName: String], of schema: ProfileSchema) {
        let field = schema.openFields.first { $0.contentType == ContentType.name.rawValue && values[$0.name] != nil }
        self.init(username: username, name: field.flatMap { values[$0.name] }, values: values)
    }

    /// Somebody whose profile is stored.
    init(_ profile: Profile) {
        self.init(username: profile.username, values: profile.valuesByField, of: profile.schema)
    }
}
