internal import ProfileCore

/// The values of unique fields in the rows that were read so far. A later row that repeats one of these values is a
/// duplicate.
struct UniqueKeys: Sendable {
    private struct Field {
        let index: Int
        let name: FieldName
        var brought: KeySet
        /// The unique values that updates would remove from stored profiles. Only a dry run uses this set.
        var givenUp: KeySet
    }

    private var fields: [Field]

    init(of schema: ProfileSchema) {
        fields = schema.fields.enumerated().filter { $0.element.isUnique }.map { index, rules in
            let empty = KeySet(foldsCase: rules.isPrimaryKey)
            return Field(index: index, name: rules.name, brought: empty, givenUp: empty)
        }
    }

    /// Compares the unique values of a row with the values of earlier rows. Returns one issue for each unique field in
    /// which an earlier row has the same value. `bytes` are the bytes of `rows`.
    func repeated(
        _ row: Int, of rows: borrowing ValidProfiles, _ bytes: UnsafeBufferPointer<UInt8>
    ) -> [ValidationIssue] {
        var issues: [ValidationIssue] = []
        for field in fields.indices {
            let slot = rows.slot(row: row, field: fields[field].index)
            guard !slot.isAbsent else { continue }
            if let line = fields[field].brought.line(of: UnsafeBufferPointer(rebasing: bytes[slot.range])) {
                issues.append(ValidationIssue(fields[field].name, .duplicate(line: line)))
            }
        }
        return issues
    }

    /// Returns the line of the earlier row that has a value, or nil if no earlier row has this value.
    func line(of value: String, in name: FieldName) -> Int? {
        fields.first { $0.name == name }.flatMap { field in
            Self.withBytes(of: value) { field.brought.line(of: $0) }
        }
    }

    /// Remembers the unique values of a row. `bytes` are the bytes of `rows`.
    mutating func remember(
        _ row: Int, of rows: borrowing ValidProfiles, _ bytes: UnsafeBufferPointer<UInt8>, line: Int
    ) {
        for field in fields.indices {
            let slot = rows.slot(row: row, field: fields[field].index)
            guard !slot.isAbsent else { continue }
            fields[field].brought.insert(UnsafeBufferPointer(rebasing: bytes[slot.range]), line: line)
        }
    }

    /// Remembers the unique values of a row, unless an earlier row has one of these values.
    ///
    /// This method has the same effect as two calls: first ``repeated(_:of:_:)``, then, if there is no issue,
    /// ``remember(_:of:_:line:)``. But if no earlier row has the same values, this method looks up each value only
    /// once.
    ///
    /// - Returns: One issue for each unique field in which an earlier row has the same value.
    mutating func rememberIfNew(
        _ row: Int, of rows: borrowing ValidProfiles, _ bytes: UnsafeBufferPointer<UInt8>, line: Int
    ) -> [ValidationIssue] {
        for field in fields.indices {
            let slot = rows.slot(row: row, field: fields[field].index)
            guard !slot.isAbsent else { continue }
            let value = UnsafeBufferPointer(rebasing: bytes[slot.range])
            guard fields[field].brought.insert(value, line: line) != nil else { continue }
            for added in fields[..<field].indices { forget(row, of: rows, bytes, field: added) }
            return repeated(row, of: rows, bytes)
        }
        return []
    }

    /// Forgets the value of a row in a field. This must be the latest value that was remembered for this field.
    private mutating func forget(
        _ row: Int, of rows: borrowing ValidProfiles, _ bytes: UnsafeBufferPointer<UInt8>, field: Int
    ) {
        let slot = rows.slot(row: row, field: fields[field].index)
        guard !slot.isAbsent else { return }
        fields[field].brought.removeLast(UnsafeBufferPointer(rebasing: bytes[slot.range]))
    }

    /// Remembers that an update would remove a unique value from a stored profile. A dry run uses this method.
    mutating func giveUp(_ value: String, of name: FieldName) {
        guard let field = fields.firstIndex(where: { $0.name == name }) else { return }
        _ = Self.withBytes(of: value) { fields[field].givenUp.insert($0, line: 0) }
    }

    func isGivenUp(_ value: String, of name: FieldName) -> Bool {
        fields.first { $0.name == name }.flatMap { field in
            Self.withBytes(of: value) { field.givenUp.line(of: $0) }
        } != nil
    }

    /// Frees the memory after all rows are read.
    mutating func removeAll() { fields.removeAll() }

    private static func withBytes<Value>(of text: String, _ body: (UnsafeBufferPointer<UInt8>) -> Value) -> Value {
        var text = text
        return text.withUTF8(body)
    }
}
