internal import ProfileCore
internal import ProfileStore
internal import SQLiteAccess

extension SQLiteEngine {
    func schemaInForce() async throws(ProfileStoreError) -> AdoptedSchema {
        try session.read { connection in try rulesInForce(connection).adopted }
    }

    func loginRules() async throws(ProfileStoreError) -> LoginRules {
        try session.read { connection in
            // The rules and the count are read from one snapshot, because an adoption changes the rules and the count
            // in one commit.
            try connection.readTransaction {
                LoginRules(
                    try rulesInForce(connection).adopted,
                    haveJudgedPasswords: try StoreTable.count(.unjudgedPasswords, connection) == 0)
            }
        }
    }

    func adopt(
        _ schema: ProfileSchema, expecting version: Int?, _ stamp: WriteStamp
    ) async throws(ProfileStoreError) -> (inForce: AdoptedSchema, version: Int) {
        let (inForce, written) = try await session.withWriter { connection in
            let written = try connection.writeTransaction {
                try self.once(stamp, connection) {
                    let current = try SchemaTable.inForce(connection)
                    try current.requireVersion(version)
                    guard !current.isSame(as: schema) else { return (current.version, isChange: false) }
                    try SchemaTable.adopt(schema, replacing: current.schema, at: stamp.time, connection)
                    try self.record([.adopted], stamp, connection)
                    return (try SchemaTable.versionInForce(connection), isChange: true)
                }
            }
            // This engine caches the rules, so it reads them after the commit. If it cached them before the commit and
            // the commit failed, the columns of the cached rules would not exist.
            return (try self.rulesInForce(connection).adopted, written)
        }
        if written.isChange { announce() }
        return (inForce, try written.answer.get())
    }

    // MARK: Revalidation

    func mark(_ marks: [JudgementMark], judgedBy version: Int) async throws(ProfileStoreError) {
        // A call can contain thousands of marks, so its transaction is not shared with other writes.
        try await session.writeAlone { connection in
            var statement = try connection.prepare(ProfileTable.mark)
            for mark in marks {
                try statement.bind(mark.id, at: 1)
                try statement.bind(mark.revision, at: 2)
                try statement.bind(Int64(version), at: 3)
                try statement.bind(mark.issues, at: 4)
                try statement.run()
            }
        }
    }
}
