internal import ProfileCore
internal import ProfileStore
internal import SQLiteAccess

// Reading many profiles, and revalidating them.
extension ProfileTable {
    /// Reads the rows that a scan requests, with their stored values unchanged. If the table has no column for a field,
    /// the value of this field is absent.
    static func rows(_ scan: StoreScan, _ connection: borrowing Connection) throws -> StoredRows {
        let columns = try SchemaTable.columnNames(connection)
        let fields = scan.fields.map { field in
            !field.isSecret && columns.contains(field.column.text) ? quoted(field.column) : "NULL"
        }
        let condition = scan.besides.isEmpty ? "" : " AND schema_version NOT IN (\(list(scan.besides)))"
        let judgement = ["revision", "schema_version", "password_hash IS NOT NULL", "issues"]
        let selected =
            ["id"] + fields + (scan.includesHashes ? ["password_hash"] : [])
            + (scan.includesRecords ? recordColumns : []) + (scan.includesJudgements ? judgement : [])
        var statement = try connection.prepare(
            "SELECT \(selected.joined(separator: ", ")) FROM profiles WHERE id > ?1\(condition) ORDER BY id LIMIT ?2",
            scan.after, scan.mostRows)
        let firstOfJudgement = selected.count - judgement.count
        let firstOfRecord = 1 + fields.count + (scan.includesHashes ? 1 : 0)
        var rows = StoredRows(of: scan)
        while !rows.isFull, try statement.step() {
            var hash: Secret?
            if scan.includesHashes, let bytes = statement.bytes(at: fields.count + 1) { hash = Secret(bytes) }
            var judged: StoredRows.Judgement?
            if scan.includesJudgements {
                judged = StoredRows.Judgement(
                    revision: statement.integer(at: firstOfJudgement),
                    schemaVersion: Int(statement.integer(at: firstOfJudgement + 1)),
                    hasPassword: statement.integer(at: firstOfJudgement + 2) != 0,
                    issues: statement.string(at: firstOfJudgement + 3))
            }
            let record = scan.includesRecords ? record(in: statement, at: firstOfRecord) : nil
            try rows.append(StoredRows.Row(id: statement.integer(at: 0), judgement: judged, hash: hash, record: record))
            for index in fields.indices {
                if let cell = statement.bytes(at: index + 1) {
                    rows.append(cell: cell)
                } else {
                    rows.appendAbsentCell()
                }
            }
        }
        return rows
    }

    /// Marks a profile with the result of a revalidation. `?1` is its id, `?2` its revision, `?3` the version of the
    /// schema, `?4` the issues. If the profile has already been validated by a later schema, its mark stays.
    static let mark = """
        UPDATE profiles SET schema_version = ?3, issues = ?4
        WHERE id = ?1 AND revision = ?2 AND schema_version <= ?3
        """

    static func count(_ connection: borrowing Connection) throws(SQLiteError) -> Int {
        var statement = try connection.prepare("SELECT count(*) FROM profiles")
        return try statement.step() ? Int(statement.integer(at: 0)) : 0
    }

    static func countUnjudgedPasswords(besides versions: [Int]) -> String {
        "SELECT count(*) FROM profiles WHERE password_hash IS NOT NULL "
            + "AND (password_is_judged = 0 OR password_schema_version NOT IN (\(list(versions))))"
    }

    static func list(_ versions: [Int]) -> String { versions.map(String.init).joined(separator: ", ") }
}
