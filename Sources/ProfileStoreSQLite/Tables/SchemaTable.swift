internal import ProfileCore
internal import ProfileStore
internal import SQLiteAccess
internal import Threads

/// The table `schemas`, which keeps every adopted schema. Adopting a schema also changes the columns and indexes of the
/// table `profiles`.
enum SchemaTable {
    static func versionInForce(_ connection: borrowing Connection) throws(SQLiteError) -> Int {
        var statement = try connection.prepare("SELECT max(version) FROM schemas")
        return try statement.step() ? Int(statement.integer(at: 0)) : 0
    }

    /// Returns the version and the fingerprint of the schema in force; 0 and an empty text if there is none.
    static func nameInForce(
        _ connection: borrowing Connection
    ) throws(SQLiteError) -> (version: Int, fingerprint: String) {
        var statement = try connection.prepare(
            "SELECT version, fingerprint FROM schemas ORDER BY version DESC LIMIT 1")
        guard try statement.step() else { return (0, "") }
        return (Int(statement.integer(at: 0)), statement.string(at: 1) ?? "")
    }

    static func inForce(_ connection: borrowing Connection) throws -> AdoptedSchema {
        guard let latest = try latest(connection) else {
            throw ProfileStoreError.corrupt(.noSchema)
        }
        return try latest.adopted()
    }

    /// Returns the schema in force in its stored form; nil if the store has no schema yet.
    static func latest(_ connection: borrowing Connection) throws -> StoredSchema? {
        var statement = try connection.prepare(
            "SELECT version, fingerprint, document, adopted_at FROM schemas ORDER BY version DESC LIMIT 1")
        return try statement.step() ? StoredSchema(in: statement) : nil
    }

    /// Returns every adopted schema, oldest first.
    static func all(_ connection: borrowing Connection) throws -> [AdoptedSchema] {
        var stored: [StoredSchema] = []
        var statement = try connection.prepare(
            "SELECT version, fingerprint, document, adopted_at FROM schemas ORDER BY version")
        while try statement.step() { stored.append(StoredSchema(in: statement)) }
        return try stored.map { try $0.adopted() }
    }

    /// Puts a schema in force, within a transaction. Adds the missing columns. Creates the missing indexes of unique
    /// and indexed fields, and drops the indexes that are no longer needed. Stores the schema as `version`, or as the
    /// next version if `version` is nil. If the schema no longer has a field, the column of this field keeps its
    /// values, but the values are not read. A renamed field keeps its column and its indexes.
    ///
    /// - Throws: `otherPrimaryKey`, `tooManyColumns`, `repeatedValues`, …
    static func adopt(
        _ schema: ProfileSchema, replacing previous: ProfileSchema?, as version: Int? = nil, at time: Timestamp,
        _ connection: borrowing Connection
    ) throws {
        try schema.requireKey(of: previous, hasProfiles: hasProfiles(connection))
        let schema = schema.placed(after: try all(connection).map(\.schema))
        let columns = try columnNames(connection)
        let missing = try schema.missingColumns(inTableOf: columns.count, atMost: Connection.mostColumns) {
            columns.contains($0.text)
        }
        for column in missing { try connection.execute(ProfileTable.addColumn(column)) }
        let unique = schema.uniqueFields
        let uniqueBefore = previous?.uniqueFields.map(\.column) ?? []
        for field in unique where !uniqueBefore.contains(field.column) {
            let repeated = try repeatedValues(in: field.column, connection)
            guard repeated.isEmpty else { throw ProfileStoreError.repeatedValues(field.name, repeated) }
        }
        let uniqueNow = unique.map(\.column)
        for column in uniqueBefore where !uniqueNow.contains(column) {
            try connection.execute(ProfileTable.dropUniqueIndex(column))
        }
        for column in uniqueNow where !uniqueBefore.contains(column) {
            try connection.execute(ProfileTable.createUniqueIndex(column))
        }
        let indexed = schema.indexedFields.map(\.column)
        for column in previous?.indexedFields.map(\.column) ?? [] where !indexed.contains(column) {
            try connection.execute(ProfileTable.dropIndex(column))
        }
        for column in indexed { try connection.execute(ProfileTable.createIndex(column)) }
        try connection.run(
            """
            INSERT INTO schemas (version, name, fingerprint, document, adopted_at)
            VALUES (coalesce(?5, (SELECT coalesce(max(version), 0) + 1 FROM schemas)), ?1, ?2, ?3, ?4)
            """, schema.name, schema.fingerprint, schema.storedDocument, time.millisecondsSince1970, version)
        if schema[.password] != previous?[.password] { try UnjudgedPasswords.recount(connection) }
    }

    /// Copies the schema with the version `version` to a new row with the version `later`. The caller has begun a
    /// transaction.
    static func adoptAgain(
        _ version: Int, as later: Int, at time: Timestamp, _ connection: borrowing Connection
    ) throws(SQLiteError) {
        try connection.run(
            """
            INSERT INTO schemas (version, name, fingerprint, document, adopted_at)
            SELECT ?2, name, fingerprint, document, ?3 FROM schemas WHERE version = ?1
            """, version, later, time.millisecondsSince1970)
    }

    /// Returns whether the store has any profile.
    static func hasProfiles(_ connection: borrowing Connection) throws(SQLiteError) -> Bool {
        var statement = try connection.prepare("SELECT 1 FROM profiles LIMIT 1")
        return try statement.step()
    }

    static func columnNames(_ connection: borrowing Connection) throws(SQLiteError) -> Set<String> {
        var names: Set<String> = []
        var statement = try connection.prepare("PRAGMA table_info(profiles)")
        while try statement.step() {
            if let name = statement.string(at: 1) { names.insert(name) }
        }
        return names
    }

    private static func repeatedValues(
        in column: FieldColumn, _ connection: borrowing Connection
    ) throws -> [String] {
        var values: [String] = []
        var statement = try connection.prepare(ProfileTable.selectRepeated(column))
        while try statement.step() { values.append(statement.string(at: 0) ?? "") }
        return values
    }
}

/// A row of the table `schemas`.
struct StoredSchema {
    let version: Int
    let fingerprint: String
    private let document: String
    private let adoptedAt: Timestamp

    init(in row: borrowing Statement) {
        version = Int(row.integer(at: 0))
        fingerprint = row.string(at: 1) ?? ""
        document = row.string(at: 2) ?? ""
        adoptedAt = Timestamp(millisecondsSince1970: row.integer(at: 3))
    }

    func adopted() throws -> AdoptedSchema {
        AdoptedSchema(version: version, fingerprint: fingerprint, adoptedAt: adoptedAt, schema: try parsed())
    }

    func parsed() throws -> ProfileSchema {
        if let latest = Self.latest.withLock(\.self), latest.document == document { return latest.schema }
        do throws(SchemaFailure) {
            let schema = try ProfileSchema(parsingStored: document)
            Self.latest.withLock { $0 = (document, schema) }
            return schema
        } catch {
            throw ProfileStoreError.unreadableSchema(version: version, error)
        }
    }

    /// The schema that was parsed last. It is cached, because every connection reads the schema in force, and most
    /// connections of a process read the same store.
    private static let latest = Locked<(document: String, schema: ProfileSchema)?>(nil)
}
