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
        let (version, isNew) = try await writer.write(waitingAtMost: options.waitLimit) {
            connection throws(ProfileStoreError) in
            let current = try SchemaTable.inForce(connection)
            let isNew = current.fingerprint != schema.fingerprint
            if isNew {
                try connection.writeTransaction { () throws(ProfileStoreError) in
                    try SchemaTable.adopt(schema, replacing: current.schema, at: now, connection)
                    try ProfileStoreError.wrap { () throws(SQLiteError) in
                        try self.record(.adopted, nil, connection)
                    }
                }
            }
            // After the commit: rules of a commit that failed have columns that are not there.
            return (try self.refreshSchema(connection).version, isNew)
        }
        if isNew { bell.announce() }
        return version
    }
}
