internal import ProfileCore
internal import ProfileStore
internal import SQLiteAccess

extension SQLiteEngine {
    func schemaInForce() async throws(ProfileStoreError) -> AdoptedSchema {
        try session.read { connection in try rulesInForce(connection).adopted }
    }

    func schemas() async throws(ProfileStoreError) -> [AdoptedSchema] {
        try session.read { connection in try SchemaTable.all(connection) }
    }

    func loginRules() async throws(ProfileStoreError) -> LoginRules {
        try session.read { connection in
            // Of one moment: who adopts other rules counts anew in the same commit.
            try connection.readTransaction {
                LoginRules(
                    try rulesInForce(connection).adopted,
                    haveJudgedPasswords: try StoreTable.count(.unjudgedPasswords, connection) == 0)
            }
        }
    }

    func adopt(
        _ schema: ProfileSchema, at time: Timestamp
    ) async throws(ProfileStoreError) -> AdoptedSchema {
        let (rules, isNew) = try await session.withWriter { connection in
            let current = try SchemaTable.inForce(connection)
            let isNew = current.fingerprint != schema.fingerprint
            if isNew {
                try connection.writeTransaction {
                    try SchemaTable.adopt(schema, replacing: current.schema, at: time, connection)
                    try self.record(.adopted, nil, at: time, connection)
                }
            }
            // After the commit: rules of a commit that failed have columns that are not there.
            return (try self.rulesInForce(connection).adopted, isNew)
        }
        if isNew { announce() }
        return rules
    }

    // MARK: Judging again

    func countJudged(by versions: [Int]) async throws(ProfileStoreError) -> Int {
        try await session.readAtLength { connection in try ProfileTable.countJudged(by: versions, connection) }
    }

    func countPasswords(setUnderOthersThan versions: [Int]) async throws(ProfileStoreError) -> Int {
        try await session.readAtLength { connection in try ProfileTable.countPasswords(besides: versions, connection) }
    }

    func invalidProfiles(
        judgedBy versions: [Int], after id: Int64
    ) async throws(ProfileStoreError) -> [MarkedProfile] {
        try await session.readAtLength { connection in
            var statement = try connection.prepare(ProfileTable.selectMarked(versions))
            try statement.bind(id, at: 1)
            try statement.bind(1_000, at: 2)
            var marked: [MarkedProfile] = []
            while try statement.step() {
                marked.append(
                    MarkedProfile(
                        id: statement.integer(at: 0), username: statement.string(at: 1) ?? "",
                        issues: [ReportedIssue](stored: statement.string(at: 2) ?? "")))
            }
            return marked
        }
    }

    func mark(_ marks: [JudgementMark], judgedBy version: Int) async throws(ProfileStoreError) {
        // Thousands at once: not with others, who would wait for all of them.
        try await session.withWriter { connection in
            try connection.writeTransaction {
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
}
