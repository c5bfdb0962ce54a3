internal import CSQLite

/// A measure of texts, written in Swift, that statements call as a function of SQL.
///
/// Its first argument says what is measured, and is looked at once a statement. The function is the greatest measure of the
/// further arguments, 0 of those that are NULL, and looks at no more of them once it is as great as it can be. The schema
/// of a database cannot call it.
package struct TextFunction: Sendable {
    /// The function's name; a program's own text.
    package let name: String
    /// As great as a measure can be.
    package let greatest: Int
    /// Makes the measure that a first argument asks for; none is less than 0.
    package let measure: @Sendable (_ subject: Span<UInt8>) -> (_ text: Span<UInt8>) -> Int

    package init(
        _ name: String, greatest: Int = 1,
        measure: @escaping @Sendable (_ subject: Span<UInt8>) -> (_ text: Span<UInt8>) -> Int
    ) {
        self.name = name
        self.greatest = greatest
        self.measure = measure
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
    /// Lets statements of this connection call a function.
    package func define(_ function: TextFunction) throws(SQLiteError) {
        // SQLite lets go of the box, also where this fails.
        let status = sqlite3_create_function_v2(
            handle, function.name, -1, SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_DIRECTONLY,
            Unmanaged.passRetained(FunctionBox(function)).toOpaque(),
            { context, count, values in
                guard let context, let values, count > 0 else { return }
                sqlite3_result_int64(context, Int64(PreparedMeasure.greatest(context, count, values)))
            }, nil, nil, { box in if let box { Unmanaged<FunctionBox>.fromOpaque(box).release() } })
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

private final class FunctionBox {
    let function: TextFunction

    init(_ function: TextFunction) { self.function = function }
}

private final class CollationBox {
    let collation: TextCollation

    init(_ collation: TextCollation) { self.collation = collation }
}

/// The measure that a statement's first argument asks for; SQLite keeps it as long as that argument stays.
private final class PreparedMeasure {
    private let measure: (Span<UInt8>) -> Int
    private let greatest: Int

    private init(_ function: TextFunction, of subject: Span<UInt8>) {
        measure = function.measure(subject)
        greatest = function.greatest
    }

    /// The greatest measure of the values behind the first, as that asks for it.
    static func greatest(
        _ context: OpaquePointer, _ count: Int32, _ values: UnsafeMutablePointer<OpaquePointer?>
    ) -> Int {
        if let kept = sqlite3_get_auxdata(context, 0) {
            return Unmanaged<PreparedMeasure>.fromOpaque(kept).takeUnretainedValue().greatest(count, values)
        }
        guard let box = sqlite3_user_data(context) else { return 0 }
        let function = Unmanaged<FunctionBox>.fromOpaque(box).takeUnretainedValue().function
        let measure = PreparedMeasure(function, of: UnsafeBufferPointer(text: values[0]).span)
        let outcome = measure.greatest(count, values)
        // Last, since SQLite may let go of it at once.
        sqlite3_set_auxdata(
            context, 0, Unmanaged.passRetained(measure).toOpaque(),
            { measure in if let measure { Unmanaged<PreparedMeasure>.fromOpaque(measure).release() } })
        return outcome
    }

    private func greatest(_ count: Int32, _ values: UnsafeMutablePointer<OpaquePointer?>) -> Int {
        var found = 0
        var index = 1
        while index < Int(count), found < greatest {
            let text = UnsafeBufferPointer<UInt8>(text: values[index])
            if text.baseAddress != nil { found = max(found, measure(text.span)) }
            index += 1
        }
        return found
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
