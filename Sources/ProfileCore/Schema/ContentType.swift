/// The tokens of HTML's attribute `autocomplete` that this package treats specially in forms and logins.
package enum ContentType: String {
    case postalCode = "postal-code"
    case streetAddress = "street-address"
    case name
    case givenName = "given-name"
    case additionalName = "additional-name"
    case familyName = "family-name"

    package static let nameLike: Set<ContentType> = [.name, .givenName, .additionalName, .familyName]
}

extension ProfileSchema {
    /// Returns the first field with this content type. Returns nil if there is none.
    package func field(of type: ContentType) -> FieldRules? { fields.first { $0.contentType == type.rawValue } }
}
