internal import CPQ

/// What came of a command: rows, or how many there were. Columns are in PostgreSQL's binary form.
///
/// `@unchecked Sendable`: libpq's result is never changed once it was received, and is freed with the last reference.
package final class Rows: @unchecked Sendable {
    private let result: OpaquePointer

    /// Takes over a result.
    init(_ result: OpaquePointer) { self.result = result }

    deinit { PQclear(result) }

    package var count: Int { Int(PQntuples(result)) }
    package var isEmpty: Bool { count == 0 }

    /// How many rows a statement has written.
    package var affectedCount: Int { PQcmdTuples(result).flatMap { Int(String(cString: $0)) } ?? 0 }

    /// What the server says that it has done, such as `COMMIT`.
    package var tag: String { PQcmdStatus(result).map { String(cString: $0) } ?? "" }

    package func isNull(_ row: Int, _ column: Int) -> Bool { PQgetisnull(result, Int32(row), Int32(column)) != 0 }

    /// A number of up to eight bytes; nil for NULL and for what is none.
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

    /// The text of a column; nil for NULL.
    package func text(_ row: Int, _ column: Int) -> String? {
        withBytes(row, column) { String(decoding: $0, as: UTF8.self) }
    }

    /// The bytes of a column, without a copy; nil for NULL.
    package func withBytes<Value>(_ row: Int, _ column: Int, _ body: (UnsafeBufferPointer<UInt8>) -> Value) -> Value? {
        guard !isNull(row, column), let start = PQgetvalue(result, Int32(row), Int32(column)) else { return nil }
        let count = Int(PQgetlength(result, Int32(row), Int32(column)))
        return start.withMemoryRebound(to: UInt8.self, capacity: count) {
            body(UnsafeBufferPointer(start: $0, count: count))
        }
    }

    // MARK: How it went

    var status: ExecStatusType { PQresultStatus(result) }

    /// Why the server refused a statement.
    func error(sql: String) -> PostgresError {
        .refused(
            SQLState(field(.sqlState) ?? ""), message: field(.message) ?? "", constraint: field(.constraint), sql: sql)
    }

    /// The fields of an error, by the letters of the protocol; what may tell a value is not among them.
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
