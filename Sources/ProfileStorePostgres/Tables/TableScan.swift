internal import PostgresAccess
internal import ProfileCore
internal import ProfileStore

/// Reads raw values of many profiles, ordered by id.
struct TableScan {
    private let scan: StoreScan

    init(_ scan: StoreScan) { self.scan = scan }

    func rows(_ connection: Connection) async throws -> StoredRows {
        let names = try await SchemaTable.columns(connection)
        var stored = StoredRows(of: scan)
        var after = scan.after
        // The first query asks for few rows. The reason: values may be long, and the server sends all requested rows.
        var count = 256
        while !stored.isFull {
            let wanted = min(count, scan.mostRows - stored.rows.count)
            let rows = try await connection.run(sql(names), values(after, wanted))
            for row in 0..<rows.count where !stored.isFull { try append(rows, row, to: &stored) }
            guard rows.count == wanted, let last = rows.number(rows.count - 1, 0) else { break }
            after = last
            count = min(count * 4, 8_192)
        }
        return stored
    }

    private func sql(_ names: Set<String>) -> String {
        let fields = scan.fields.map { field in
            let column = ProfileTable.quoted(field.column)
            return !field.isSecret && names.contains(column) ? column : "NULL"
        }
        let judgement = ["revision", "schema_version", "password_hash IS NOT NULL", "issues"]
        let selected =
            ["id", scan.includesHashes ? "password_hash" : "NULL"]
            + (scan.includesJudgements ? judgement : judgement.map { _ in "NULL" }) + fields
            + (scan.includesRecords ? ProfileTable.recordColumns : [])
        return "SELECT \(selected.joined(separator: ", ")) FROM profiles "
            + "WHERE id > $1 AND schema_version <> ALL ($2::bigint[]) ORDER BY id LIMIT $3"
    }

    private func values(_ after: Int64, _ count: Int) -> Values {
        [.number(after), .numbers(scan.besides.map(Int64.init)), .number(Int64(count))]
    }

    private func append(_ rows: Rows, _ row: Int, to stored: inout StoredRows) throws(ProfileStoreError) {
        var judgement: StoredRows.Judgement?
        if scan.includesJudgements {
            judgement = StoredRows.Judgement(
                revision: rows.number(row, 2) ?? 0, schemaVersion: rows.count(row, 3), hasPassword: rows.flag(row, 4),
                issues: rows.text(row, 5))
        }
        let hash = rows.withBytes(row, 1) { Secret($0.span) }
        let record = scan.includesRecords ? ProfileTable.record(in: rows, row, at: scan.fields.count + 6) : nil
        try stored.append(
            StoredRows.Row(id: rows.number(row, 0) ?? 0, judgement: judgement, hash: hash, record: record))
        for column in scan.fields.indices {
            let isThere: Void? = rows.withBytes(row, column + 6) { stored.append(cell: $0.span) }
            if isThere == nil { stored.appendAbsentCell() }
        }
    }
}
