internal import CSQLite

/// A test of texts, written in Swift, that statements call as a function of SQL.
///
/// Its first argument says what is tested, and is looked at once a statement. The function is 1 where one of the further
/// arguments passes, whatever is NULL among them, else 0. The schema of a database cannot call it.
package struct TextPredicate: Sendable {
    /// The function's name; a program's own text.
    package let name: String
    /// Makes the test that a first argument asks for.
    package let test: @Sendable (_ subject: Span<UInt8>) -> (_ text: Span<UInt8>) -> Bool

    package init(
        _ name: String, test: @escaping @Sendable (_ subject: Span<UInt8>) -> (_ text: Span<UInt8>) -> Bool
    ) {
        self.name = name
        self.test = test
    }
}

/// An order of texts, written in Swift, that statements name after COLLATE. No index has it, since other programs could
/// not write to that.
package struct TextCollation: Sendable {
    /// A program's own text.
    package let name: String
    /// Less than zero where the left one comes first, zero where neither does.
    package let compare: @Sendable (_ left: Span<UInt8>, _ right: Span<UInt8>) -> Int

    package init(_ name: String, compare: @escaping @Sendable (_ left: Span<UInt8>, _ right: Span<UInt8>) -> Int) {
        self.name = name
        self.compare = compare
    }
}

extension Connection {
    /// Lets statements of this connection call a predicate.
    package func define(_ predicate: TextPredicate) throws(SQLiteError) {
        // SQLite lets go of the box, also where this fails.
        let status = sqlite3_create_function_v2(
            handle, predicate.name, -1, SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_DIRECTONLY,
            Unmanaged.passRetained(PredicateBox(predicate)).toOpaque(),
            { context, count, values in
                guard let context, let values, count > 0 else { return }
                sqlite3_result_int(context, PreparedTest.passes(context, count, values) ? 1 : 0)
            }, nil, nil, { box in if let box { Unmanaged<PredicateBox>.fromOpaque(box).release() } })
        guard status == SQLITE_OK else { throw SQLiteError(status: status, database: handle) }
    }

    /// Lets statements of this connection name a collation.
    package func define(_ collation: TextCollation) throws(SQLiteError) {
        let box = Unmanaged.passRetained(CollationBox(collation))
        let status = sqlite3_create_collation_v2(
            handle, collation.name, SQLITE_UTF8, box.toOpaque(),
            { box, leftCount, left, rightCount, right in
                guard let box else { return 0 }
                let collation = Unmanaged<CollationBox>.fromOpaque(box).takeUnretainedValue().collation
                let order = collation.compare(
                    UnsafeBufferPointer(text: left, leftCount).span, UnsafeBufferPointer(text: right, rightCount).span)
                return Int32(clamping: order)
            }, { box in if let box { Unmanaged<CollationBox>.fromOpaque(box).release() } })
        guard status == SQLITE_OK else {
            box.release()
            throw SQLiteError(status: status, database: handle)
        }
    }
}

private final class PredicateBox {
    let predicate: TextPredicate

    init(_ predicate: TextPredicate) { self.predicate = predicate }
}

private final class CollationBox {
    let collation: TextCollation

    init(_ collation: TextCollation) { self.collation = collation }
}

/// The test that a statement's first argument asks for; SQLite keeps it as long as that argument stays.
private final class PreparedTest {
    private let passes: (Span<UInt8>) -> Bool

    private init(_ passes: @escaping (Span<UInt8>) -> Bool) { self.passes = passes }

    /// Whether one of the values behind the first passes the test that this asks for.
    static func passes(
        _ context: OpaquePointer, _ count: Int32, _ values: UnsafeMutablePointer<OpaquePointer?>
    ) -> Bool {
        if let kept = sqlite3_get_auxdata(context, 0) {
            return Unmanaged<PreparedTest>.fromOpaque(kept).takeUnretainedValue().passes(count, values)
        }
        guard let box = sqlite3_user_data(context) else { return false }
        let predicate = Unmanaged<PredicateBox>.fromOpaque(box).takeUnretainedValue().predicate
        let test = PreparedTest(predicate.test(UnsafeBufferPointer(text: values[0]).span))
        let outcome = test.passes(count, values)
        // Last, since SQLite may let go of it at once.
        sqlite3_set_auxdata(
            context, 0, Unmanaged.passRetained(test).toOpaque(),
            { test in if let test { Unmanaged<PreparedTest>.fromOpaque(test).release() } })
        return outcome
    }

    private func passes(_ count: Int32, _ values: UnsafeMutablePointer<OpaquePointer?>) -> Bool {
        var index = 1
        while index < Int(count) {
            let text = UnsafeBufferPointer<UInt8>(text: values[index])
            if text.baseAddress != nil, passes(text.span) { return true }
            index += 1
        }
        return false
    }
}

extension UnsafeBufferPointer<UInt8> {
    /// The UTF-8 text of a value in SQLite's memory; no memory at all for NULL.
    fileprivate init(text value: OpaquePointer?) {
        let text = sqlite3_value_text(value)
        self.init(start: text, count: text == nil ? 0 : Int(sqlite3_value_bytes(value)))
    }

    fileprivate init(text: UnsafeRawPointer?, _ count: Int32) {
        self.init(
            start: text?.assumingMemoryBound(to: UInt8.self), count: text == nil ? 0 : Int(Swift.max(0, count)))
    }
}
