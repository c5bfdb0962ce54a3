public import ProfileCore
internal import SQLiteAccess

extension ProfileRepository {
    /// Makes a schema the one in force. Profiles keep their values; ``revalidate(candidate:all:mostIssues:progress:)``
    /// then says which of them break the new rules.
    ///
    /// - Returns: The schema's version; the present one when its rules are in force already.
    /// - Throws: `repeatedValues` when a field that becomes unique has a value more than once, `busy`, …
    @discardableResult
    public func adopt(_ schema: ProfileSchema) async throws(ProfileStoreError) -> Int {
        let now = options.now()
        return try await change { connection throws(ProfileStoreError) in
            let current = try SchemaTable.inForce(connection)
            guard current.fingerprint != schema.fingerprint else { return current.version }
            try SchemaTable.adopt(schema, replacing: current.schema, at: now, connection)
            return try self.refreshSchema(connection).version
        }
    }
}
