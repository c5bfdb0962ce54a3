public import ProfileCore

/// The reason why a profile does not get new values.
public enum ProfileRefusal: Hashable, Sendable {
    /// The profile would be invalid.
    case invalid(ValidationFailure)
    /// Other profiles have the values of these unique fields.
    case duplicate([FieldName])

    /// The reason in JSON.
    package var name: String {
        switch self {
        case .invalid: "invalid"
        case .duplicate: "duplicate"
        }
    }
}
