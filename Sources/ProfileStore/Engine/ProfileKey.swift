package import ProfileCore

/// What a single profile is found by.
package enum ProfileKey: Sendable {
    /// Whatever the case of its ASCII letters.
    case username(String)
    case id(Int64)
}

/// Which profiles to find, with values in the form in which they are stored.
package struct ProfileSearch: Sendable {
    /// What the value of a field must be, or begin with.
    package struct Condition: Sendable {
        /// That of one of the rules' fields that are not secret.
        package let column: FieldName
        package let value: String
        package let isPrefix: Bool

        package init(column: FieldName, value: String, isPrefix: Bool) {
            self.column = column
            self.value = value
            self.isPrefix = isPrefix
        }
    }

    /// All must hold.
    package var conditions: [Condition]
    /// Only profiles that were found invalid.
    package var onlyInvalid: Bool
    /// Most profiles.
    package var limit: Int
    /// Only profiles with a higher id.
    package var after: Int64
    /// The page ends with the profile that takes it to so many bytes: after that one there may be no more.
    package var mostBytes: Int

    package init(conditions: [Condition], onlyInvalid: Bool, limit: Int, after: Int64, mostBytes: Int) {
        self.conditions = conditions
        self.onlyInvalid = onlyInvalid
        self.limit = limit
        self.after = after
        self.mostBytes = mostBytes
    }
}
