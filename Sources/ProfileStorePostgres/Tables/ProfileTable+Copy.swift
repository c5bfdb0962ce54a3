internal import PostgresAccess
internal import ProfileCore
internal import ProfileStore

// Reading and inserting whole rows, to copy a store.
extension ProfileTable {
    /// The columns of a profile without its id and its field values.
    static let recordColumns = [
        "revision", "created_at", "updated_at", "schema_version", "issues", "password_hash", "password_schema_version",
        "password_is_judged", "passcode_hash",
    ]

    /// Returns the values that a row has in the columns ``recordColumns``. `first` is the position of the first of
    /// these columns.
    static func record(in rows: Rows, _ row: Int, at first: Int) -> StoredRows.Record {
        let hash = rows.withBytes(row, first + 5) { Secret($0.span) }
        let password = hash.map { hash in
            StoredRows.Record.Password(
                hash: hash, schemaVersion: rows.count(row, first + 6), isJudged: rows.flag(row, first + 7))
        }
        return StoredRows.Record(
            revision: rows.number(row, first) ?? 0, createdAt: rows.time(row, first + 1),
            updatedAt: rows.time(row, first + 2), schemaVersion: rows.count(row, first + 3),
            issues: rows.text(row, first + 4), password: password,
            passcodeHash: rows.withBytes(row, first + 8) { Secret($0.span) })
    }

    /// Inserts rows unchanged, with their ids. Each column is passed as an array.
    static func insertion(of rows: StoredRows, _ fields: [FieldRules]) -> Command {
        let records = rows.rows.compactMap(\.record)
        let passwords = records.map(\.password)
        var values: Values = [
            .numbers(rows.rows.map(\.id)), .numbers(records.map(\.revision)),
            .numbers(records.map(\.createdAt.millisecondsSince1970)),
            .numbers(records.map(\.updatedAt.millisecondsSince1970)),
            .numbers(records.map { Int64($0.schemaVersion) }), .texts(records.map(\.issues)),
        ]
        values.append(secrets: passwords.map { $0?.hash })
        values.append(.optionalNumbers(passwords.map { $0.map { Int64($0.schemaVersion) } }))
        values.append(.optionalNumbers(passwords.map { $0.map { $0.isJudged ? 1 : 0 } }))
        values.append(secrets: records.map(\.passcodeHash))
        let username = fields.firstIndex { $0.column == .username } ?? 0
        values.append(.texts(rows.rows.indices.map { key(of: String(rows.cell($0, username))) }))
        for field in fields.indices { values.append(column: field, of: rows) }
        return Command(insertion(of: fields), values)
    }

    private static func insertion(of fields: [FieldRules]) -> String {
        let columns = ["id"] + recordColumns + ["username$key"] + fields.map { quoted($0.column) }
        let numbers: Set = ["id", "revision", "created_at", "updated_at", "schema_version", "password_schema_version"]
        let types = columns.map { numbers.contains($0) || $0 == "password_is_judged" ? "bigint[]" : "text[]" }
        let arrays = types.enumerated().map { "$\($0 + 1)::\($1)" }
        let names = columns.indices.map { "c\($0)" }
        let selected = zip(names, columns).map { $1 == "password_is_judged" ? "\($0) <> 0" : $0 }
        return "INSERT INTO profiles (\(columns.joined(separator: ", "))) SELECT \(selected.joined(separator: ", ")) "
            + "FROM unnest(\(arrays.joined(separator: ", "))) AS row (\(names.joined(separator: ", "))) "
            + "ON CONFLICT DO NOTHING"
    }
}

extension Values {
    /// Adds secrets as an array of texts, without copying a secret into a `String`.
    fileprivate mutating func append(secrets: [Secret?]) {
        beginTexts(count: secrets.count)
        for secret in secrets {
            if let secret { appendElement(utf8: secret.bytes) } else { appendMissingElement() }
        }
        endArray()
    }

    fileprivate mutating func append(column: Int, of rows: StoredRows) {
        beginTexts(count: rows.rows.count)
        for row in rows.rows.indices {
            if rows.isAbsent(row, column) {
                appendMissingElement()
            } else {
                appendElement(utf8: rows.cell(row, column))
            }
        }
        endArray()
    }
}
