internal import PostgresAccess
internal import ProfileCore
internal import ProfileStore
internal import SecretHashing

/// The table `profiles` as a schema sees it: its SQL, and how rows and profiles become each other.
///
/// This is the one place that builds names into SQL. They come from ``ProfileCore/FieldName``, which admits lower-case
/// ASCII letters, digits and `_` only, and are quoted besides, since a field may be called like a keyword.
final class ProfileTable: Sendable {
    let schema: ProfileSchema
    let openFields: [FieldRules]
    /// The position of the password among the schema's fields.
    let secretField: Int?

    let selection: String
    let selectByUsername: String
    let selectByID: String
    /// Inserts one row unless another profile has a value of its unique fields.
    let insert: String
    /// The same, which fails with a division by zero where another profile has such a value. No unique index tells of it, or
    /// the server would write the value into its log.
    let insertOrFail: String
    /// The same for many rows, of which each column is an array.
    let insertMany: String
    /// Copies rows in the columns' order of `insert`.
    let copy: String
    let update: String

    init(_ schema: ProfileSchema) {
        self.schema = schema
        openFields = schema.openFields
        secretField = schema.index(of: .password)
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
        update =
            "UPDATE profiles SET revision = revision + 1, updated_at = $2, schema_version = $3, issues = NULL, "
            + "username$key = $5"
            + schema.fields.enumerated().filter { !$0.element.isSecret }.enumerated()
            .map { ", \(Self.quoted($0.element.element.column)) = $\($0.offset + Self.firstUpdatedPlace)" }.joined()
            + " WHERE id = $1 AND revision = $4"
    }

    // MARK: Reading

    /// The profile in a row of a selection.
    func profile(in rows: Rows, _ row: Int) -> Profile {
        Profile(
            id: rows.number(row, 0) ?? 0, revision: rows.number(row, 1) ?? 0, createdAt: rows.time(row, 2),
            updatedAt: rows.time(row, 3), schemaVersion: Int(rows.number(row, 4) ?? 0),
            issues: rows.text(row, 5).map { [ReportedIssue](stored: $0) } ?? [], hasPassword: rows.flag(row, 6),
            schema: schema, values: openFields.indices.map { rows.text(row, $0 + Self.firstFieldColumn) })
    }

    /// The profile that a selection has found; nil where it has none.
    func profile(in rows: Rows) -> Profile? { rows.isEmpty ? nil : profile(in: rows, 0) }

    /// The profile that a row becomes when it is stored as a new one.
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

    /// A selection with the hash of the password and one more column behind the fields.
    func selectionWithHash(_ column: String) -> String {
        String(selection.dropLast(" FROM profiles".count)) + ", password_hash, \(column) FROM profiles"
    }

    /// Finds a profile if there is any.
    static let selectAny = "SELECT 1 FROM profiles LIMIT 1"

    static func selectID(of username: String) -> Command {
        Command("SELECT id FROM profiles WHERE username$key = $1", [.text(key(of: username))])
    }

    // MARK: Writing

    /// Whether a row brings the hash of a password.
    func bringsPassword(_ row: Int, of profiles: ValidProfiles) -> Bool {
        secretField.map { !profiles.slot(row: row, field: $0).isAbsent } ?? false
    }

    /// Stores one row as a new profile. Where another profile has a value of its unique fields it stores nothing, or fails
    /// if it may.
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

    /// Stores some rows as new profiles, which get these ids.
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

    /// Stores the one row of `profiles` in the place of a profile that has this revision; a password that the row does not
    /// bring stays.
    func replacement(
        of id: Int64, revision: Int64, with profiles: ValidProfiles, at time: Timestamp, schemaVersion: Int
    ) -> Command {
        var values: Values = [
            .number(id), .number(time.millisecondsSince1970), .number(Int64(schemaVersion)), .number(revision),
            .text(key(of: 0, in: profiles)),
        ]
        for (field, rules) in schema.fields.enumerated() where !rules.isSecret {
            values.append(profiles, row: 0, field: field)
        }
        return Command(update, values)
    }

    /// Sets the password of a stored profile. Another one than before ends what the former one has let in (H4).
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

    /// 1 for a judged password, 0 for one that was brought as a hash, nil where there is none.
    private func judgement(of row: Int, in profiles: ValidProfiles) -> Int64? {
        bringsPassword(row, of: profiles) ? (profiles.hashIsJudged(row: row) ? 1 : 0) : nil
    }

    private func key(of row: Int, in profiles: ValidProfiles) -> String {
        Self.key(of: profiles.text(row: row, field: schema.primaryKeyIndex) ?? "")
    }

    private static let firstFieldPlace = 7
    private static let firstUpdatedPlace = 6
    static let firstFieldColumn = 7

    // MARK: Unique values

    /// The unique fields, the primary key among them, with their positions among the schema's fields.
    var uniqueFields: [(index: Int, rules: FieldRules)] {
        schema.fields.enumerated().filter { $0.element.isUnique || $0.element.isPrimaryKey }
            .map { (index: $0.offset, rules: $0.element) }
    }

    /// Asks who has the unique values of a row.
    func selectOwners(of row: Int, in profiles: ValidProfiles) -> [(field: FieldName, command: Command)] {
        uniqueFields.compactMap { index, rules in
            profiles.text(row: row, field: index).map { (rules.name, Self.selectOwner(of: $0, of: rules)) }
        }
    }

    static func selectOwner(of value: String, of field: FieldRules) -> Command {
        Command("SELECT id FROM profiles WHERE \(comparedColumn(field)) = $1", [.text(compared(value, of: field))])
    }

    /// The column by which a field's values are found and put in order.
    static func comparedColumn(_ field: FieldRules) -> String {
        field.isPrimaryKey ? "username$key" : quoted(field.column)
    }

    /// A value as that column has it.
    static func compared(_ value: String, of field: FieldRules) -> String {
        field.isPrimaryKey ? key(of: value) : value
    }

    /// A username as usernames are compared: whatever the case of its ASCII letters.
    ///
    /// A text of the server's holds no U+0000. A name that does is nobody's, and so is a key with a capital letter.
    static func key(of username: String) -> String {
        let bytes = username.utf8.map { 0x41...0x5A ~= $0 ? $0 | 0x20 : $0 == 0 ? UInt8(ascii: "N") : $0 }
        return String(decoding: bytes, as: UTF8.self)
    }

    // MARK: Names

    /// A column's name. Every table has a few of the server's own, which ours go out of the way of.
    static func quoted(_ name: FieldName) -> String {
        serverColumns.contains(name.text) ? "\"\(name.text)$\"" : "\"\(name.text)\""
    }

    private static let serverColumns: Set = ["tableoid", "xmin", "cmin", "xmax", "cmax", "ctid"]

    static func addColumn(_ name: FieldName) -> String {
        let column = quoted(name)
        return "ALTER TABLE profiles ADD COLUMN IF NOT EXISTS \(column) text COLLATE \"C\" CHECK (\(column) <> '')"
    }

    /// The index of a field: one that enforces that its values are unique, or one to look up by.
    static func createIndex(_ name: FieldName, isUnique: Bool, concurrently: Bool) -> String {
        "CREATE \(isUnique ? "UNIQUE " : "")INDEX \(concurrently ? "CONCURRENTLY " : "")"
            + "IF NOT EXISTS \(indexName(name, isUnique: isUnique)) ON profiles (\(quoted(name)))"
    }

    static func dropIndex(_ name: FieldName, isUnique: Bool) -> String {
        "DROP INDEX IF EXISTS \(indexName(name, isUnique: isUnique))"
    }

    /// The server cuts long names, so that of a field does not stand in it.
    static func indexName(_ field: FieldName, isUnique: Bool) -> String {
        let digits = SHA256.hexadecimal(Array(field.text.utf8).span).prefix(16)
        return (isUnique ? "profiles_unique_" : "profiles_index_") + digits
    }

    static func selectRepeated(_ name: FieldName) -> Command {
        Command(
            "SELECT \(quoted(name)) FROM profiles WHERE \(quoted(name)) IS NOT NULL "
                + "GROUP BY \(quoted(name)) HAVING count(*) > 1 ORDER BY 1 LIMIT 10")
    }
}

extension Values {
    /// Adds what a row has in a field.
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
    /// A column as a moment; it must not be NULL.
    func time(_ row: Int, _ column: Int) -> Timestamp {
        Timestamp(millisecondsSince1970: number(row, column) ?? 0)
    }
}
