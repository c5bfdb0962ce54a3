internal import CSQLite

/// A SQL function, written in Swift, that measures texts.
///
/// The first argument of the function is the subject. The subject is prepared once per statement. The function measures
/// all other arguments and returns the greatest measure. The measure of NULL is 0. The function stops at the first
/// argument whose measure is ``greatest``. Views and triggers in the database's schema cannot call it.
package struct TextFunction: Sendable {
    /// The function's name. The name must be a constant of the program.
    package let name: String
    /// The maximum value of a measure.
    package let greatest: Int
    /// Returns a function that measures texts for a subject. The returned function must not return a negative number.
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

/// A collation that is written in Swift. A statement uses the collation by its name after COLLATE. No index uses it,
/// because a program without the collation could not write to such an index.
package struct TextCollation: Sendable {
    /// The collation's name. The name must be a constant of the program.
    package let name: String
    /// Compares two texts. The result is negative if the left text comes first, positive if the right text comes first,
    /// and zero if the texts are equal in this collation.
    package let compare: @Sendable (_ left: Span<UInt8>, _ right: Span<UInt8>) -> Int

    package init(_ name: String, compare: @escaping @Sendable (_ left: Span<UInt8>, _ right: Span<UInt8>) -> Int) {
        self.name = name
        self.compare = compare
    }
}

extension Connection {
    /// Defines a function for the statements of this connection.
    package func define(_ function: TextFunction) throws(SQLiteError) {
        // SQLite releases the box, even if this call fails.
        let status = sqlite3_create_function_v2(
            handle, function.name, -1, SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_DIRECTONLY,
            Unmanaged.passRetained(FunctionBox(function)).toOpaque(),
            { context, count, values in
                guard let context, let values, count > 0 else { return }
                sqlite3_result_int64(context, Int64(PreparedMeasure.greatest(context, count, values)))
            }, nil, nil, { box in if let box { Unmanaged<FunctionBox>.fromOpaque(box).release() } })
        guard status == SQLITE_OK else { throw SQLiteError(status: status, database: handle) }
    }

    /// Defines a collation for the statements of this connection.
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

/// The prepared measure for the first argument of a function call. SQLite keeps this object while the argument stays
/// the same.
private final class PreparedMeasure {
    private let measure: (Span<UInt8>) -> Int
    private let greatest: Int

    private init(_ function: TextFunction, of subject: Span<UInt8>) {
        measure = function.measure(subject)
        greatest = function.greatest
    }

    /// Returns the greatest measure of the values. The first value is the subject and is not measured.
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
        // `sqlite3_set_auxdata` is called last, because SQLite may release the measure during this call.
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
    /// Creates a buffer for the UTF-8 text of a value. The text stays in SQLite's memory. If the value is NULL, the
    /// base address is nil.
    fileprivate init(text value: OpaquePointer?) {
        let text = sqlite3_value_text(value)
        self.init(start: text, count: text == nil ? 0 : Int(sqlite3_value_bytes(value)))
    }

    fileprivate init(text: UnsafeRawPointer?, _ count: Int32) {
        self.init(
            start: text?.assumingMemoryBound(to: UInt8.self), count: text == nil ? 0 : Int(Swift.max(0, count)))
    }
}
