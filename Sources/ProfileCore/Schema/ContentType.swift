/// What a field means to forms and logins: those of the tokens of HTML's `autocomplete` that we act upon.
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
    /// The first field of a content type; nil where there is none.
    package func field(of type: ContentType) -> FieldRules? { fields.first { $0.contentType == type.rawValue } }
}
