internal import CPQ

/// The result of a command. It contains rows, or the number of affected rows. The values have PostgreSQL's binary
/// format.
///
/// `@unchecked Sendable`: libpq never changes a result that was received. The result is freed when its last reference
/// is released.
package final class Rows: @unchecked Sendable {
    private let result: OpaquePointer

    /// Takes ownership of a result.
    init(_ result: OpaquePointer) { self.result = result }

    deinit { PQclear(result) }

    package var count: Int { Int(PQntuples(result)) }
    package var isEmpty: Bool { count == 0 }

    /// The number of rows that the statement wrote.
    package var affectedCount: Int { PQcmdTuples(result).flatMap { Int(String(cString: $0)) } ?? 0 }

    /// The command tag, such as `COMMIT`.
    package var tag: String { PQcmdStatus(result).map { String(cString: $0) } ?? "" }

    package func isNull(_ row: Int, _ column: Int) -> Bool { PQgetisnull(result, Int32(row), Int32(column)) != 0 }

    /// Returns an integer of 2, 4 or 8 bytes. Returns nil for NULL and for a value of another length.
    package func number(_ row: Int, _ column: Int) -> Int64? {
        withBytes(row, column) { bytes in
            switch bytes.count {
            case 8: bytes.reduce(0) { $0 << 8 | Int64($1) }
            case 4: Int64(Int32(bitPattern: bytes.reduce(0) { $0 << 8 | UInt32($1) }))
            case 2: Int64(Int16(bitPattern: bytes.reduce(0) { $0 << 8 | UInt16($1) }))
            default: nil
            }
        } ?? nil
    }

    package func flag(_ row: Int, _ column: Int) -> Bool { withBytes(row, column) { $0.first == 1 } ?? false }

    /// Returns the text of a column; nil for NULL.
    package func text(_ row: Int, _ column: Int) -> String? {
        withBytes(row, column) { String(decoding: $0, as: UTF8.self) }
    }

    /// Calls `body` with the bytes of a column, without copying them. Returns nil for NULL.
    package func withBytes<Value>(_ row: Int, _ column: Int, _ body: (UnsafeBufferPointer<UInt8>) -> Value) -> Value? {
        let count = Int(PQgetlength(result, Int32(row), Int32(column)))
        // The length of NULL is 0. So a longer value is not NULL.
        guard count > 0 || !isNull(row, column), let start = PQgetvalue(result, Int32(row), Int32(column))
        else { return nil }
        return start.withMemoryRebound(to: UInt8.self, capacity: count) {
            body(UnsafeBufferPointer(start: $0, count: count))
        }
    }

    // MARK: Outcome

    var status: ExecStatusType { PQresultStatus(result) }

    /// Returns the error that the server reported for a statement.
    func error(sql: String) -> PostgresError {
        .refused(
            SQLState(field(.sqlState) ?? ""), message: field(.message) ?? "", constraint: field(.constraint), sql: sql)
    }

    /// The error fields that are read. The raw value is the field's letter in the protocol. Some other fields may
    /// contain a value of the statement, so these fields are never read.
    private enum ErrorField: Character {
        case sqlState = "C"
        case message = "M"
        case constraint = "n"
    }

    private func field(_ field: ErrorField) -> String? {
        guard let letter = field.rawValue.asciiValue else { return nil }
        return PQresultErrorField(result, Int32(letter)).map { String(cString: $0) }
    }
}
