internal import ProfileCore
internal import ProfileStore
internal import SQLiteAccess
internal import Threads

/// The table `profiles` under one schema: its SQL, and the conversion between rows and profiles.
///
/// Only this type and its extensions put the columns of fields into SQL. A ``ProfileCore/FieldColumn`` contains only
/// lower-case ASCII letters, digits, `_` and `$`. The columns are also quoted, because a field may have the name of an
/// SQL keyword.
final class ProfileTable: Sendable {
    let schema: ProfileSchema
    let selectByUsername: String
    let selectByID: String
    let insert: String
    let selectIDByKey: String
    /// Selects the profiles whose id is `?1` or greater, in the order of ids. The first columns are the id and the
    /// primary key.
    let selectFollowing: String
    let selectFollowingKeys = "SELECT id, username FROM profiles WHERE id >= ?1 ORDER BY id"

    let selection: String
    let openFields: [FieldRules]
    /// The position of the password among the schema's fields.
    let secretField: Int?
    private let updates = Locked(UpdateStatements())

    init(_ schema: ProfileSchema) {
        self.schema = schema
        openFields = schema.openFields
        secretField = schema.passwordIndex
        let columns = openFields.map { Self.quoted($0.column) }
        selection =
            "SELECT id, revision, created_at, updated_at, schema_version, issues, password_hash IS NOT NULL, "
            + columns.joined(separator: ", ") + " FROM profiles"
        selectByUsername = selection + " WHERE username = ?1"
        selectByID = selection + " WHERE id = ?1"
        selectIDByKey = "SELECT id FROM profiles WHERE username = ?1"
        selectFollowing =
            "SELECT id, username, revision, schema_version, issues, \(columns.joined(separator: ", ")), password_hash "
            + "FROM profiles WHERE id >= ?1 ORDER BY id"
        let stored = schema.fields.map { $0.isSecret ? "password_hash" : Self.quoted($0.column) }
        insert =
            "INSERT INTO profiles (id, revision, created_at, updated_at, schema_version, password_schema_version, "
            + "password_is_judged, \(stored.joined(separator: ", "))) VALUES (?1, 1, ?2, ?2, ?3, ?4, ?5, "
            + stored.indices.map { "?\($0 + Self.firstFieldParameter)" }.joined(separator: ", ") + ")"
    }

    // MARK: Reading

    /// Returns the profile in the current row of a selection.
    func profile(in row: borrowing Statement) -> Profile {
        var values: [String?] = []
        values.reserveCapacity(openFields.count)
        for index in openFields.indices { values.append(row.string(at: index + Self.firstFieldColumn)) }
        return Profile(
            id: row.integer(at: 0), revision: row.integer(at: 1),
            createdAt: Timestamp(millisecondsSince1970: row.integer(at: 2)),
            updatedAt: Timestamp(millisecondsSince1970: row.integer(at: 3)),
            schemaVersion: Int(row.integer(at: 4)),
            issues: row.string(at: 5).map { [ReportedIssue](stored: $0) } ?? [],
            hasPassword: row.integer(at: 6) != 0, schema: schema, values: values)
    }

    /// Returns the profile with a key; nil if there is none.
    func profile(_ key: ProfileKey, _ connection: borrowing Connection) throws(SQLiteError) -> Profile? {
        switch key {
        case .username(let username):
            // SQLite does not copy the username. The bytes stay valid as long as `statement` exists.
            return try username.utf8Span.span.withUnsafeBufferPointer { bytes throws(SQLiteError) in
                var statement = try connection.prepare(selectByUsername)
                try statement.bindUncopied(text: bytes, at: 1)
                return try statement.step() ? profile(in: statement) : nil
            }
        case .id(let id):
            var statement = try connection.prepare(selectByID)
            try statement.bind(id, at: 1)
            return try statement.step() ? profile(in: statement) : nil
        }
    }

    /// Returns the hash of a profile's password; nil if the profile has no password or does not exist.
    static func passwordHash(of id: Int64, _ connection: borrowing Connection) throws(SQLiteError) -> String? {
        var statement = try connection.prepare("SELECT password_hash FROM profiles WHERE id = ?1", id)
        return try statement.step() ? statement.string(at: 0) : nil
    }

    // MARK: Writing

    /// Returns whether a row contains the hash of a password.
    @inline(__always)
    func bringsPassword(_ row: Int, of profiles: borrowing ValidProfiles) -> Bool {
        guard let secretField else { return false }
        return !profiles.slot(row: row, field: secretField).isAbsent
    }

    /// Returns whether a row contains the hash of a password that was not validated.
    @inline(__always)
    func bringsUnjudgedPassword(_ row: Int, of profiles: borrowing ValidProfiles) -> Bool {
        bringsPassword(row, of: profiles) && !profiles.hashIsJudged(row: row)
    }

    /// Binds the values that all rows of one insertion share; see ``insert``.
    func bindCommon(
        at time: Timestamp, schemaVersion: Int, to statement: inout Statement
    ) throws(SQLiteError) {
        try statement.bind(time.millisecondsSince1970, at: 2)
        try statement.bind(Int64(schemaVersion), at: 3)
    }

    /// Inserts one row as a new profile. `bytes` are the bytes of `profiles`; they contain the texts of the row.
    ///
    /// - Returns: False if another profile has the same username, or the same value in another unique field.
    @inline(__always)
    func insert(
        row: Int, of profiles: borrowing ValidProfiles, _ bytes: UnsafeBufferPointer<UInt8>, id: Int64,
        schemaVersion: Int64, with statement: inout Statement
    ) throws(SQLiteError) -> Bool {
        try statement.bind(id, at: 1)
        if bringsPassword(row, of: profiles) {
            try statement.bind(schemaVersion, at: 4)
            try statement.bind(profiles.hashIsJudged(row: row) ? Int64(1) : 0, at: 5)
        } else {
            try statement.bindNull(at: 4)
            try statement.bindNull(at: 5)
        }
        try bindFields(of: row, in: profiles, bytes, to: &statement)
        do throws(SQLiteError) {
            try statement.run()
            return true
        } catch {
            guard .constraintUnique ~= error.code else { throw error }
            return false
        }
    }

    /// The result of an update.
    enum UpdateOutcome {
        case updated
        /// The profile does not exist any more, or has another revision.
        case stale
        /// Another profile has the same value in a unique field.
        case duplicate
    }

    /// Changes a profile if it has the expected revision. If the row contains no password, the profile's password
    /// stays.
    func update(
        _ update: RowUpdate, at time: Timestamp, schemaVersion: Int, _ connection: borrowing Connection
    ) throws(SQLiteError) -> UpdateOutcome {
        do throws(SQLiteError) {
            try updateOpenFields(update, at: time, schemaVersion: schemaVersion, connection)
        } catch {
            guard .constraintUnique ~= error.code else { throw error }
            return .duplicate
        }
        guard connection.changes == 1 else { return .stale }
        if let hash = update.newHash(in: secretField) {
            try Self.setPassword(
                hash, isJudged: update.rows.hashIsJudged(row: update.row), of: update.id,
                schemaVersion: schemaVersion, connection)
        }
        return .updated
    }

    /// Sets the password of a stored profile, within a transaction. If the hash changes, all tokens of the profile are
    /// removed: those of sessions, of devices, and of the reset of the password.
    static func setPassword(
        _ hash: String, isJudged: Bool, of id: Int64, schemaVersion: Int, _ connection: borrowing Connection
    ) throws(SQLiteError) {
        let isOther = try passwordHash(of: id, connection) != hash
        try connection.run(
            """
            UPDATE profiles SET password_hash = ?2, password_schema_version = ?3, password_is_judged = ?4 WHERE id = ?1
            """, id, hash, schemaVersion, isJudged ? Int64(1) : 0)
        if isOther { try TokenTable.removeAll(of: id, connection) }
    }

    /// Increments the revision of a profile for a change that leaves its open fields unchanged.
    static func raiseRevision(
        of id: Int64, at time: Timestamp, _ connection: borrowing Connection
    ) throws(SQLiteError) {
        try connection.run(
            "UPDATE profiles SET revision = revision + 1, updated_at = ?2 WHERE id = ?1", id, time.millisecondsSince1970
        )
    }

    /// Sets only the columns that change. The reason: if a statement sets a column, SQLite also writes each index that
    /// contains the column.
    private func updateOpenFields(
        _ update: RowUpdate, at time: Timestamp, schemaVersion: Int, _ connection: borrowing Connection
    ) throws(SQLiteError) {
        var statement = try connection.prepare(updates.withLock { $0.sql(setting: update.fields, of: schema) })
        try statement.bind(update.id, at: 1)
        try statement.bind(time.millisecondsSince1970, at: 2)
        try statement.bind(Int64(schemaVersion), at: 3)
        try statement.bind(update.revision, at: 4)
        try update.rows.bytes.withUnsafeBufferPointer { bytes throws(SQLiteError) in
            for field in 0..<update.rows.fieldCount where field != secretField && update.fields.contains(field) {
                try bind(field, of: update.row, in: update.rows, bytes, to: &statement)
            }
            try statement.run()
        }
    }

    /// The number of the parameter for the first field, in insertions and in updates.
    fileprivate static let firstFieldParameter = 6
    static let firstFieldColumn = 7

    /// Binds the fields of one row without copying them. The bytes stay valid until the statement has run.
    @inline(__always)
    private func bindFields(
        of row: Int, in profiles: borrowing ValidProfiles, _ bytes: UnsafeBufferPointer<UInt8>,
        to statement: inout Statement
    ) throws(SQLiteError) {
        for field in 0..<profiles.fieldCount { try bind(field, of: row, in: profiles, bytes, to: &statement) }
    }

    @inline(__always)
    private func bind(
        _ field: Int, of row: Int, in profiles: borrowing ValidProfiles, _ bytes: UnsafeBufferPointer<UInt8>,
        to statement: inout Statement
    ) throws(SQLiteError) {
        let slot = profiles.slot(row: row, field: field)
        if slot.isAbsent {
            try statement.bindNull(at: field + Self.firstFieldParameter)
        } else {
            let text = UnsafeBufferPointer(rebasing: bytes[slot.range])
            try statement.bindUncopied(text: text, at: field + Self.firstFieldParameter)
        }
    }

    // MARK: Names

    /// Returns the quoted name of a field's column. For a fact, returns an SQL expression for the fact's text.
    static func quoted(_ column: FieldColumn) -> String {
        column.fact.map(text(of:)) ?? "\"\(column.text)\""
    }

    /// Returns the SQL expression for the text of a fact. The text is the result of ``ProfileStore/Profile/text(of:)``,
    /// except for the fact `issues`: its text is the stored JSON.
    private static func text(of fact: ProfileFact) -> String {
        switch fact {
        case .id, .revision, .schemaVersion: return "CAST(\(fact.rawValue) AS TEXT)"
        case .createdAt, .updatedAt:
            let time = fact.rawValue
            return "(strftime('%Y-%m-%dT%H:%M:%S', \(time) / 1000, 'unixepoch') "
                + "|| printf('.%03dZ', \(time) % 1000))"
        case .status: return "iif(issues IS NULL, 'valid', 'invalid')"
        case .issues: return "issues"
        }
    }

    static func addColumn(_ column: FieldColumn) -> String {
        "ALTER TABLE profiles ADD COLUMN \(columnDefinition(column))"
    }

    /// Returns the definition of an added field's column, exactly as it appears in the table's SQL.
    static func columnDefinition(_ column: FieldColumn) -> String {
        "\(quoted(column)) TEXT CHECK (\(quoted(column)) <> '')"
    }

    /// Returns the SQL that creates the index of a unique field. The field must not be the primary key.
    static func createUniqueIndex(_ column: FieldColumn) -> String {
        "CREATE UNIQUE INDEX \"\(uniqueIndexName(column.text))\" ON profiles (\(quoted(column)))"
    }

    static func dropUniqueIndex(_ column: FieldColumn) -> String { "DROP INDEX \"\(uniqueIndexName(column.text))\"" }

    static func uniqueIndexName(_ column: String) -> String { "profiles_unique_\(column)" }

    /// Returns the SQL that creates an index only for look-ups. Other programs may create and drop such indexes, so the
    /// SQL has `IF NOT EXISTS`, and ``dropIndex(_:)`` has `IF EXISTS`.
    static func createIndex(_ column: FieldColumn) -> String {
        "CREATE INDEX IF NOT EXISTS \"\(indexName(column.text))\" ON profiles (\(quoted(column)))"
    }

    static func dropIndex(_ column: FieldColumn) -> String { "DROP INDEX IF EXISTS \"\(indexName(column.text))\"" }

    /// A column that has an index under every schema. The first migration creates the index.
    static let phone = FieldColumn.phone

    private static func indexName(_ column: String) -> String { "profiles_index_\(column)" }

    static func selectRepeated(_ column: FieldColumn) -> String {
        "SELECT \(quoted(column)) FROM profiles WHERE \(quoted(column)) IS NOT NULL "
            + "GROUP BY \(quoted(column)) HAVING count(*) > 1 LIMIT 10"
    }

    /// Returns the id of the profile that has a value in the column of a unique field.
    static func owner(
        of value: String, in column: FieldColumn, _ connection: borrowing Connection
    ) throws(SQLiteError) -> Int64? {
        var statement = try connection.prepare("SELECT id FROM profiles WHERE \(quoted(column)) = ?1", value)
        return try statement.step() ? statement.integer(at: 0) : nil
    }
}

/// A cache for the SQL of updates. Each key of the dictionary is a set of fields; the statement updates these fields.
private struct UpdateStatements {
    private var texts: [FieldSet: String] = [:]
    /// The fields and the SQL of the latest update. Most updates of a transaction change the same fields.
    private var latest: (fields: FieldSet, text: String)?

    /// The maximum number of cached statements. An import may change any combination of fields, and most combinations
    /// occur once.
    private static let most = 256

    mutating func sql(setting fields: FieldSet, of schema: ProfileSchema) -> String {
        if let latest, latest.fields == fields { return latest.text }
        let text = texts[fields] ?? made(setting: fields, of: schema)
        latest = (fields, text)
        return text
    }

    private mutating func made(setting fields: FieldSet, of schema: ProfileSchema) -> String {
        let columns = schema.fields.enumerated().filter { fields.contains($0.offset) && !$0.element.isSecret }
        let text =
            "UPDATE profiles SET revision = revision + 1, updated_at = ?2, schema_version = ?3, issues = NULL"
            + columns.map {
                ", \(ProfileTable.quoted($0.element.column)) = ?\($0.offset + ProfileTable.firstFieldParameter)"
            }.joined() + " WHERE id = ?1 AND revision = ?4"
        if texts.count >= Self.most { texts.removeAll() }
        texts[fields] = text
        return text
    }
}
