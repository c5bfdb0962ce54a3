internal import PostgresAccess
internal import ProfileCore
internal import ProfileStore
internal import SecretHashing

/// The table `profiles` under a schema: its SQL, and the conversion between rows and profiles.
///
/// Only this type converts the columns of fields to SQL. A ``ProfileCore/FieldColumn`` contains only lower-case ASCII
/// letters, digits, `_` and `$`. The columns are also quoted, because a field may have the name of an SQL keyword.
final class ProfileTable: Sendable {
    let schema: ProfileSchema
    let openFields: [FieldRules]
    /// The position of the password among the schema's fields.
    let secretField: Int?

    let selection: String
    private let selectByUsername: String
    let selectByID: String
    /// Inserts one row, unless another profile has the same value in a unique field.
    let insert: String
    /// Inserts one row, and fails with a division by zero if another profile has the same value in a unique field. The
    /// command must not cause an error of the unique index, because the server would write the repeated value into its
    /// log.
    let insertOrFail: String
    /// Inserts many rows in the same way as `insert` inserts one row. Each column is passed as an array.
    let insertMany: String
    /// The `COPY` command for rows. The rows have the same columns as in `insert`, in the same order.
    let copy: String

    init(_ schema: ProfileSchema) {
        self.schema = schema
        openFields = schema.openFields
        secretField = schema.passwordIndex
        selection =
            "SELECT id, revision, created_at, updated_at, schema_version, issues, password_hash IS NOT NULL"
            + openFields.map { ", " + Self.quoted($0.column) }.joined() + " FROM profiles"
        selectByUsername = selection + " WHERE username$key = $1"
        selectByID = selection + " WHERE id = $1"
        let stored = schema.fields.map { $0.isSecret ? "password_hash" : Self.quoted($0.column) }
        let columns =
            "(id, created_at, updated_at, schema_version, password_schema_version, password_is_judged, username$key, "
            + "revision, \(stored.joined(separator: ", ")))"
        let fieldPlaces = stored.indices.map { "$\($0 + Self.firstFieldPlace)" }.joined(separator: ", ")
        insert =
            "INSERT INTO profiles \(columns) VALUES ($1, $2, $2, $3, $4, $5::bigint <> 0, $6, 1, \(fieldPlaces)) "
            + "ON CONFLICT DO NOTHING"
        insertOrFail = "WITH stored AS (\(insert) RETURNING 1) SELECT 1 / count(*) FROM stored"
        let arrays =
            ["$1::bigint[]", "$4::bigint[]", "$5::bigint[]", "$6::text[]"]
            + stored.indices.map { "$\($0 + Self.firstFieldPlace)::text[]" }
        let names = ["id", "version", "judged", "key"] + stored.indices.map { "f\($0)" }
        insertMany =
            "INSERT INTO profiles \(columns) SELECT id, $2, $2, $3, version, judged <> 0, key, 1, "
            + stored.indices.map { "f\($0)" }.joined(separator: ", ")
            + " FROM unnest(\(arrays.joined(separator: ", "))) AS row (\(names.joined(separator: ", "))) "
            + "ON CONFLICT DO NOTHING"
        copy = "COPY profiles \(columns) FROM STDIN (FORMAT binary)"
    }

    // MARK: Reading

    /// Returns the profile in a row of a selection.
    func profile(in rows: Rows, _ row: Int) -> Profile {
        Profile(
            id: rows.number(row, 0) ?? 0, revision: rows.number(row, 1) ?? 0, createdAt: rows.time(row, 2),
            updatedAt: rows.time(row, 3), schemaVersion: Int(rows.number(row, 4) ?? 0),
            issues: rows.text(row, 5).map { [ReportedIssue](stored: $0) } ?? [], hasPassword: rows.flag(row, 6),
            schema: schema, values: openFields.indices.map { rows.text(row, $0 + Self.firstFieldColumn) })
    }

    /// Returns the profile that a selection found, or nil if it found none.
    func profile(in rows: Rows) -> Profile? { rows.isEmpty ? nil : profile(in: rows, 0) }

    /// Returns the profile that results if a row is stored as a new profile.
    func newProfile(
        _ row: Int, of profiles: ValidProfiles, id: Int64, at time: Timestamp, schemaVersion: Int
    ) -> Profile {
        Profile(
            id: id, revision: 1, createdAt: time, updatedAt: time, schemaVersion: schemaVersion, issues: [],
            hasPassword: bringsPassword(row, of: profiles), schema: schema,
            values: schema.fields.indices.filter { !schema.fields[$0].isSecret }
                .map { profiles.text(row: row, field: $0) })
    }

    func select(_ key: ProfileKey) -> Command {
        switch key {
        case .username(let username): Command(selectByUsername, [.text(Self.key(of: username))])
        case .id(let id): Command(selectByID, [.number(id)])
        }
    }

    /// Selects a profile, and locks its row until the end of the transaction.
    func selectForUpdate(_ key: ProfileKey) -> Command {
        let command = select(key)
        return Command(command.sql + " FOR UPDATE", command.values)
    }

    /// Returns a selection with two more columns after the fields: the password hash and `column`.
    func selectionWithHash(_ column: String) -> String {
        String(selection.dropLast(" FROM profiles".count)) + ", password_hash, \(column) FROM profiles"
    }

    /// Selects one row if the store has profiles; otherwise selects no row.
    static let selectAny = "SELECT 1 FROM profiles LIMIT 1"

    static func selectID(of username: String) -> Command {
        Command("SELECT id FROM profiles WHERE username$key = $1", [.text(key(of: username))])
    }

    // MARK: Writing

    /// Whether a row contains a password hash.
    func bringsPassword(_ row: Int, of profiles: ValidProfiles) -> Bool {
        secretField.map { !profiles.slot(row: row, field: $0).isAbsent } ?? false
    }

    /// Stores one row as a new profile. If another profile has the same value in a unique field, nothing is stored. In
    /// this case, the command fails if `mayFail` is true.
    func insertion(
        of row: Int, in profiles: ValidProfiles, id: Int64, at time: Timestamp, schemaVersion: Int,
        mayFail: Bool = false
    ) -> Command {
        var values: Values = [
            .number(id), .number(time.millisecondsSince1970), .number(Int64(schemaVersion)),
            .number(bringsPassword(row, of: profiles) ? Int64(schemaVersion) : nil),
            .number(judgement(of: row, in: profiles)), .text(key(of: row, in: profiles)),
        ]
        for field in 0..<profiles.fieldCount { values.append(profiles, row: row, field: field) }
        return Command(mayFail ? insertOrFail : insert, values)
    }

    /// Stores rows as new profiles with these ids.
    func insertion(
        of rows: [(row: Int, id: Int64)], in profiles: ValidProfiles, at time: Timestamp, schemaVersion: Int
    ) -> Command {
        var values: Values = [
            .numbers(rows.map(\.id)), .number(time.millisecondsSince1970), .number(Int64(schemaVersion)),
            .optionalNumbers(rows.map { bringsPassword($0.row, of: profiles) ? Int64(schemaVersion) : nil }),
            .optionalNumbers(rows.map { judgement(of: $0.row, in: profiles) }),
            .texts(rows.map { key(of: $0.row, in: profiles) }),
        ]
        for field in 0..<profiles.fieldCount {
            values.append(.texts(rows.map { profiles.text(row: $0.row, field: field) }))
        }
        return Command(insertMany, values)
    }

    /// Changes a profile if it has the expected revision. The password is not changed.
    func setting(_ update: RowUpdate, at time: Timestamp, schemaVersion: Int) -> Command {
        var values: Values = [
            .number(update.id), .number(time.millisecondsSince1970), .number(Int64(schemaVersion)),
            .number(update.revision),
        ]
        var sql =
            "UPDATE profiles SET revision = revision + 1, updated_at = $2, schema_version = $3, issues = NULL"
        var place = 5
        if update.fields.contains(schema.primaryKeyIndex) {
            values.append(.text(key(of: update.row, in: update.rows)))
            sql += ", username$key = $\(place)"
            place += 1
        }
        for (field, rules) in schema.fields.enumerated() where !rules.isSecret && update.fields.contains(field) {
            values.append(update.rows, row: update.row, field: field)
            sql += ", \(Self.quoted(rules.column)) = $\(place)"
            place += 1
        }
        return Command(sql + " WHERE id = $1 AND revision = $4", values)
    }

    /// Changes the same fields of different profiles. A profile changes only if it has the expected revision. None of
    /// these fields may be unique. The passwords are not changed.
    func setting(
        _ fields: FieldSet, of updates: [RowUpdate], at time: Timestamp, schemaVersion: Int
    ) -> Command {
        var values: Values = [
            .numbers(updates.map(\.id)), .number(time.millisecondsSince1970), .number(Int64(schemaVersion)),
            .numbers(updates.map(\.revision)),
        ]
        // A field of the schema may have the same name as one of these columns. So the SQL qualifies each name with
        // `profiles` or `new`.
        var names = ["id", "revision"]
        var arrays = ["$1::bigint[]", "$4::bigint[]"]
        var sql =
            "UPDATE profiles SET revision = profiles.revision + 1, updated_at = $2, schema_version = $3, issues = NULL"
        for (field, rules) in schema.fields.enumerated() where fields.contains(field) {
            arrays.append("$\(arrays.count + 3)::text[]")
            names.append("f\(field)")
            values.append(.texts(updates.map { $0.rows.text(row: $0.row, field: field) }))
            sql += ", \(Self.quoted(rules.column)) = new.f\(field)"
        }
        sql +=
            " FROM unnest(\(arrays.joined(separator: ", "))) AS new (\(names.joined(separator: ", "))) "
            + "WHERE profiles.id = new.id AND profiles.revision = new.revision"
        return Command(sql, values)
    }

    /// Sets the password of a stored profile. If the hash differs from the stored hash, all tokens of the profile
    /// are deleted: those of its sessions, its devices and its reset (H4).
    static func settingPassword(_ hash: String, isJudged: Bool, of id: Int64, schemaVersion: Int) -> [Command] {
        let changes = "AND EXISTS (SELECT 1 FROM profiles WHERE id = $1 AND password_hash IS DISTINCT FROM $2)"
        return [
            Command("DELETE FROM tokens WHERE profile_id = $1 \(changes)", [.number(id), .text(hash)]),
            Command(
                """
                UPDATE profiles SET password_hash = $2, password_schema_version = $3, password_is_judged = $4::bigint <> 0
                WHERE id = $1
                """, [.number(id), .text(hash), .number(Int64(schemaVersion)), .number(isJudged ? 1 : 0)]),
        ]
    }

    /// Returns 1 if the row's password was validated, 0 if the password was given as a hash, and nil if the row has no
    /// password.
    private func judgement(of row: Int, in profiles: ValidProfiles) -> Int64? {
        bringsPassword(row, of: profiles) ? (profiles.hashIsJudged(row: row) ? 1 : 0) : nil
    }

    private func key(of row: Int, in profiles: ValidProfiles) -> String {
        Self.key(of: profiles.text(row: row, field: schema.primaryKeyIndex) ?? "")
    }

    private static let firstFieldPlace = 7
    static let firstFieldColumn = 7

    // MARK: Unique values

    /// The unique fields, including the primary key, with their positions among the schema's fields.
    var uniqueFields: [(index: Int, rules: FieldRules)] {
        schema.fields.enumerated().filter { $0.element.isUnique || $0.element.isPrimaryKey }
            .map { (index: $0.offset, rules: $0.element) }
    }

    /// Returns one command for each unique value of a row. The command selects the profile that has this value.
    func selectOwners(of row: Int, in profiles: ValidProfiles) -> [(field: FieldName, command: Command)] {
        uniqueFields.compactMap { index, rules in
            profiles.text(row: row, field: index).map { (rules.name, Self.selectOwner(of: $0, of: rules)) }
        }
    }

    static func selectOwner(of value: String, of field: FieldRules) -> Command {
        Command("SELECT id FROM profiles WHERE \(comparedColumn(field)) = $1", [.text(compared(value, of: field))])
    }

    /// Returns the column that is used to find and sort a field's values.
    static func comparedColumn(_ field: FieldRules) -> String {
        field.isPrimaryKey ? "username$key" : quoted(field.column)
    }

    /// Converts a value to the form that the column ``comparedColumn(_:)`` contains.
    static func compared(_ value: String, of field: FieldRules) -> String {
        field.isPrimaryKey ? key(of: value) : value
    }

    /// Converts a username to the form for comparisons: its ASCII letters are in lower case.
    ///
    /// PostgreSQL cannot store U+0000. So a capital N replaces U+0000. No stored key contains a capital N, so a name
    /// with U+0000 matches no profile.
    static func key(of username: String) -> String {
        String(decoding: username.utf8.map(folded), as: UTF8.self)
    }

    /// Converts one byte of a username to the corresponding byte of the key.
    static func folded(_ byte: UInt8) -> UInt8 { byte == 0 ? UInt8(ascii: "N") : byte.asciiFolded }

    // MARK: Names

    /// Returns the quoted name of a field's column. Every PostgreSQL table has some system columns. If a field has the
    /// name of a system column, its column name ends with a `$`. For a fact, returns an expression with its text.
    static func quoted(_ column: FieldColumn) -> String {
        if let fact = column.fact { return text(of: fact) }
        return serverColumns.contains(column.text) ? "\"\(column.text)$\"" : "\"\(column.text)\""
    }

    /// Returns the SQL expression for the text of a fact. The text is the result of ``ProfileStore/Profile/text(of:)``,
    /// except for the fact `issues`: its text is the stored JSON.
    private static func text(of fact: ProfileFact) -> String {
        switch fact {
        case .id, .revision, .schemaVersion: return "(\(fact.rawValue)::text COLLATE \"C\")"
        case .createdAt, .updatedAt:
            let time = fact.rawValue
            return "(to_char(to_timestamp(\(time) / 1000) AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS.') || "
                + "lpad((\(time) % 1000)::text, 3, '0') || 'Z' COLLATE \"C\")"
        case .status: return "(CASE WHEN issues IS NULL THEN 'valid' ELSE 'invalid' END COLLATE \"C\")"
        case .issues: return "issues"
        }
    }

    private static let serverColumns: Set = ["tableoid", "xmin", "cmin", "xmax", "cmax", "ctid"]

    static func addColumn(_ column: FieldColumn) -> String {
        let name = quoted(column)
        return "ALTER TABLE profiles ADD COLUMN IF NOT EXISTS \(name) text COLLATE \"C\" CHECK (\(name) <> '')"
    }

    /// The indexes of a schema's fields, the unique ones first.
    static func indexes(of schema: ProfileSchema) -> [(field: FieldRules, isUnique: Bool)] {
        schema.uniqueFields.map { ($0, true) } + schema.indexedFields.map { ($0, false) }
    }

    /// Creates the index of a field. A unique index enforces unique values. Any other index only speeds up look-ups.
    static func createIndex(_ column: FieldColumn, isUnique: Bool, concurrently: Bool) -> String {
        "CREATE \(isUnique ? "UNIQUE " : "")INDEX \(concurrently ? "CONCURRENTLY " : "")"
            + "IF NOT EXISTS \(indexName(column, isUnique: isUnique)) ON profiles (\(quoted(column)))"
    }

    /// Returns the name of a field's index. The server cuts long names, so the index name contains a hash of the column.
    static func indexName(_ column: FieldColumn, isUnique: Bool) -> String {
        let digits = SHA256.hexadecimal(Array(column.text.utf8).span).prefix(16)
        return (isUnique ? "profiles_unique_" : "profiles_index_") + digits
    }

    static func selectRepeated(_ column: FieldColumn) -> Command {
        Command(
            "SELECT \(quoted(column)) FROM profiles WHERE \(quoted(column)) IS NOT NULL "
                + "GROUP BY \(quoted(column)) HAVING count(*) > 1 ORDER BY 1 LIMIT 10")
    }
}

extension Values {
    /// Appends the value of one field of a row.
    mutating func append(_ profiles: ValidProfiles, row: Int, field: Int) {
        let slot = profiles.slot(row: row, field: field)
        if slot.isAbsent {
            append(nil as String?)
        } else {
            append(utf8: profiles.bytes.span.extracting(slot.range))
        }
    }
}

extension Rows {
    /// Returns a column as a timestamp. The column must not be NULL.
    func time(_ row: Int, _ column: Int) -> Timestamp {
        Timestamp(millisecondsSince1970: number(row, column) ?? 0)
    }
}
