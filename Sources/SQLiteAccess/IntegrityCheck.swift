/// A row whose foreign key refers to a row that does not exist.
package struct ForeignKeyViolation: Hashable, Sendable {
    package let table: String
    /// Nil in a table WITHOUT ROWID.
    package let rowID: Int64?
    package let parentTable: String
}

extension Connection {
    /// Returns a description of the damage that SQLite finds, in at most `limit` lines. The result is empty if the
    /// database is intact.
    package func integrityCheck(limit: Int = 100) throws(SQLiteError) -> [String] {
        var findings: [String] = []
        var statement = try prepare("PRAGMA integrity_check(\(max(1, limit)))")
        while try statement.step() {
            if let finding = statement.string(at: 0), finding != "ok" { findings.append(finding) }
        }
        return findings
    }

    /// Returns the rows whose foreign keys refer to rows that do not exist.
    package func foreignKeyCheck() throws(SQLiteError) -> [ForeignKeyViolation] {
        var violations: [ForeignKeyViolation] = []
        var statement = try prepare("PRAGMA foreign_key_check")
        while try statement.step() {
            violations.append(
                ForeignKeyViolation(
                    table: statement.string(at: 0) ?? "",
                    rowID: statement.isNull(at: 1) ? nil : statement.integer(at: 1),
                    parentTable: statement.string(at: 2) ?? ""))
        }
        return violations
    }
}
