internal import ProfileCore
internal import ProfileStore

/// A profile in a store in memory.
struct MemoryProfile: Hashable, Sendable {
    let id: Int64
    var revision: Int64 = 1
    let createdAt: Timestamp
    var updatedAt: Timestamp
    /// The version of the schema that validated the profile last.
    var schemaVersion = 0
    /// The issues that revalidation has found, in their stored form. Nil for a valid profile.
    var issues: String?
    /// The values. The key is the column. There may be values of former fields: fields that an earlier schema had, but
    /// the rules in force do not have.
    private(set) var values: [FieldColumn: String] = [:]
    var password: Password?
    var passcodeHash: String?

    struct Password: Hashable, Sendable {
        var hash: String
        /// The version of the schema that was in force when the password was set.
        let schemaVersion: Int
        /// Whether that schema has validated the password. False if the store received only a hash of the password.
        let isJudged: Bool
    }

    init(id: Int64, at time: Timestamp) {
        self.id = id
        createdAt = time
        updatedAt = time
    }

    /// Creates a profile from a row of another store.
    init(copying index: Int, of rows: StoredRows, _ record: StoredRows.Record, _ fields: [FieldRules]) {
        id = rows.rows[index].id
        revision = record.revision
        createdAt = record.createdAt
        updatedAt = record.updatedAt
        schemaVersion = record.schemaVersion
        issues = record.issues
        for (column, field) in fields.enumerated() where !rows.isAbsent(index, column) {
            values[field.column] = String(rows.cell(index, column))
        }
        password = record.password.map {
            Password(hash: String($0.hash.bytes), schemaVersion: $0.schemaVersion, isJudged: $0.isJudged)
        }
        passcodeHash = record.passcodeHash.map { String($0.bytes) }
    }

    /// The data of the profile except its id and its values: for example the revision, the times and the hashes.
    var record: StoredRows.Record {
        StoredRows.Record(
            revision: revision, createdAt: createdAt, updatedAt: updatedAt, schemaVersion: schemaVersion,
            issues: issues,
            password: password.map {
                StoredRows.Record.Password(
                    hash: Secret($0.hash), schemaVersion: $0.schemaVersion, isJudged: $0.isJudged)
            }, passcodeHash: passcodeHash.map { Secret($0) })
    }

    /// Sets `fields` to the values of a row. The row was validated with `rules`. If the row has no password, the
    /// profile keeps its password.
    mutating func take(
        _ fields: FieldSet, ofRow row: Int, of rows: ValidProfiles, judgedBy rules: AdoptedSchema, at time: Timestamp
    ) {
        updatedAt = time
        schemaVersion = rules.version
        issues = nil
        for (index, field) in rules.schema.fields.enumerated() where fields.contains(index) {
            let text = rows.text(row: row, field: index)
            if !field.isSecret {
                values[field.column] = text
            } else if let text {
                password = Password(
                    hash: text, schemaVersion: rules.version, isJudged: rows.hashIsJudged(row: row))
            }
        }
    }

    func hash(_ kind: CredentialKind) -> String? {
        switch kind {
        case .password: password?.hash
        case .passcode: passcodeHash
        }
    }

    mutating func setHash(_ kind: CredentialKind, _ hash: String) {
        switch kind {
        case .password: password?.hash = hash
        case .passcode: passcodeHash = hash
        }
    }

    // MARK: Reading

    var username: String { values[.username] ?? "" }

    /// Returns the profile as a `Profile` with the fields of a schema.
    func profile(under schema: ProfileSchema) -> Profile {
        Profile(
            id: id, revision: revision, createdAt: createdAt, updatedAt: updatedAt, schemaVersion: schemaVersion,
            issues: issues.map { [ReportedIssue](stored: $0) } ?? [], hasPassword: password != nil, schema: schema,
            values: schema.openFields.map { values[$0.column] })
    }

    func comparedText(_ column: FieldColumn) -> ComparedText? { values[column].map { ComparedText($0, in: column) } }
}

/// A text that is compared by its bytes. All engines compare stored texts in this way. For a primary key, the
/// comparison ignores the case of ASCII letters. Two texts can be equal as `String`s but have different bytes: é can be
/// one scalar or two scalars.
struct ComparedText: Hashable, Comparable, Sendable {
    let text: String
    let bytes: [UInt8]

    init(_ text: String, in column: FieldColumn) {
        self.text = text
        bytes = column == .username ? text.utf8.map(\.asciiFolded) : Array(text.utf8)
    }

    static func == (left: Self, right: Self) -> Bool { left.bytes == right.bytes }

    static func < (left: Self, right: Self) -> Bool { left.bytes.lexicographicallyPrecedes(right.bytes) }

    func hash(into hasher: inout Hasher) { hasher.combine(bytes) }
}
