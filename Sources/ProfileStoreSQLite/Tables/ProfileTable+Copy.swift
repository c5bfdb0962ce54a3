internal import ProfileCore
internal import ProfileStore
internal import SQLiteAccess

// Reading and inserting complete rows, for copies of a store.
extension ProfileTable {
    /// The columns of a profile without its id and its field values.
    static let recordColumns = [
        "revision", "created_at", "updated_at", "schema_version", "issues", "password_hash", "password_schema_version",
        "password_is_judged", "passcode_hash",
    ]

    /// Reads ``recordColumns`` from a row; `first` is the index of the first of these columns.
    static func record(in row: borrowing Statement, at first: Int) -> StoredRows.Record {
        var password: StoredRows.Record.Password?
        if let hash = row.bytes(at: first + 5) {
            password = StoredRows.Record.Password(
                hash: Secret(hash), schemaVersion: Int(row.integer(at: first + 6)),
                isJudged: row.integer(at: first + 7) != 0)
        }
        var passcodeHash: Secret?
        if let hash = row.bytes(at: first + 8) { passcodeHash = Secret(hash) }
        return StoredRows.Record(
            revision: row.integer(at: first), createdAt: row.time(at: first + 1), updatedAt: row.time(at: first + 2),
            schemaVersion: Int(row.integer(at: first + 3)), issues: row.string(at: first + 4), password: password,
            passcodeHash: passcodeHash)
    }

    /// Inserts rows unchanged, with their ids.
    ///
    /// - Returns: False if a stored profile has the same id as one of the rows, or the same value in a unique field.
    static func insert(
        _ rows: StoredRows, of fields: [FieldRules], _ connection: borrowing Connection
    ) throws(SQLiteError) -> Bool {
        let columns = ["id"] + recordColumns + fields.map { quoted($0.column) }
        let places = columns.indices.map { "?\($0 + 1)" }
        var statement = try connection.prepare(
            "INSERT INTO profiles (\(columns.joined(separator: ", "))) VALUES (\(places.joined(separator: ", ")))")
        for (index, row) in rows.rows.enumerated() {
            guard let record = row.record else { continue }
            try statement.bind(row.id, at: 1)
            try bind(record, to: &statement)
            for field in fields.indices {
                let place = field + recordColumns.count + 2
                if rows.isAbsent(index, field) {
                    try statement.bindNull(at: place)
                } else {
                    try statement.bind(text: rows.cell(index, field), at: place)
                }
            }
            do throws(SQLiteError) {
                try statement.run()
            } catch {
                guard
                    .constraintUnique ~= error.code || .constraintPrimaryKey ~= error.code
                        || .constraintRowID ~= error.code
                else { throw error }
                return false
            }
        }
        return true
    }

    private static func bind(_ record: StoredRows.Record, to statement: inout Statement) throws(SQLiteError) {
        try statement.bind(record.revision, at: 2)
        try statement.bind(record.createdAt.millisecondsSince1970, at: 3)
        try statement.bind(record.updatedAt.millisecondsSince1970, at: 4)
        try statement.bind(Int64(record.schemaVersion), at: 5)
        try statement.bind(record.issues, at: 6)
        if let password = record.password {
            try statement.bind(text: password.hash.bytes, at: 7)
            try statement.bind(Int64(password.schemaVersion), at: 8)
            try statement.bind(password.isJudged ? Int64(1) : 0, at: 9)
        } else {
            for place in 7...9 { try statement.bindNull(at: place) }
        }
        if let hash = record.passcodeHash {
            try statement.bind(text: hash.bytes, at: 10)
        } else {
            try statement.bindNull(at: 10)
        }
    }
}
