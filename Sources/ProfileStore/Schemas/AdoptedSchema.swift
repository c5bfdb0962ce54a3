package import ProfileCore

/// A schema of the store and its compiled validator.
package final class AdoptedSchema: Sendable {
    /// The version, from 1.
    package let version: Int
    /// See ``ProfileCore/ProfileSchema/fingerprint``.
    package let fingerprint: String
    /// The time at which the schema was put in force.
    package let adoptedAt: Timestamp
    /// Validates drafts by the schema.
    package let validator: ProfileValidator

    /// The rules.
    package var schema: ProfileSchema { validator.schema }

    package init(version: Int, fingerprint: String, adoptedAt: Timestamp, schema: ProfileSchema) {
        self.version = version
        self.fingerprint = fingerprint
        self.adoptedAt = adoptedAt
        validator = ProfileValidator(schema)
    }

    /// Throws `schemaChanged` if `schema` has other rules than this schema, or keeps the values in other columns.
    package func require(_ schema: ProfileSchema) throws(ProfileStoreError) {
        guard isSame(as: schema) else { throw .schemaChanged(version: version) }
    }

    /// Throws `schemaChanged` if the caller expects another version.
    package func requireVersion(_ expected: Int?) throws(ProfileStoreError) {
        guard expected == nil || expected == version else { throw .schemaChanged(version: version) }
    }

    /// Returns whether a schema has the same rules, and keeps the values in the same columns.
    package func isSame(as schema: ProfileSchema) -> Bool {
        self.schema == schema && self.schema.hasColumns(of: schema)
    }
}

extension [AdoptedSchema] {
    /// Returns the versions that have the same password rules as a schema.
    package func versions(sharingPasswordRulesOf schema: ProfileSchema) -> [Int] {
        let rules = schema[.password]
        return filter { $0.schema[.password] == rules }.map(\.version)
    }
}
