internal import ProfileCore

/// The values of unique fields that an input has brought so far, so that a later row that has one of them is found.
struct UniqueKeys: Sendable {
    private struct Field {
        let index: Int
        let name: FieldName
        var brought: KeySet
        /// What stored profiles would have given up for another value, had it not been a dry run.
        var givenUp: KeySet
    }

    private var fields: [Field]

    init(of schema: ProfileSchema) {
        fields = schema.fields.enumerated().filter { $0.element.isUnique }.map { index, rules in
            let empty = KeySet(foldsCase: rules.isPrimaryKey)
            return Field(index: index, name: rules.name, brought: empty, givenUp: empty)
        }
    }

    /// The unique fields of a row whose values an earlier row has brought; `bytes` are those of `rows`.
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

    /// The line that brought a value; nil for a new one.
    func line(of value: String, in name: FieldName) -> Int? {
        fields.first { $0.name == name }.flatMap { field in
            Self.withBytes(of: value) { field.brought.line(of: $0) }
        }
    }

    /// Keeps a row's values; `bytes` are those of `rows`.
    mutating func remember(
        _ row: Int, of rows: borrowing ValidProfiles, _ bytes: UnsafeBufferPointer<UInt8>, line: Int
    ) {
        for field in fields.indices {
            let slot = rows.slot(row: row, field: fields[field].index)
            guard !slot.isAbsent else { continue }
            fields[field].brought.insert(UnsafeBufferPointer(rebasing: bytes[slot.range]), line: line)
        }
    }

    /// Keeps in mind that a stored profile would have given up a value.
    mutating func giveUp(_ value: String, of name: FieldName) {
        guard let field = fields.firstIndex(where: { $0.name == name }) else { return }
        Self.withBytes(of: value) { fields[field].givenUp.insert($0, line: 0) }
    }

    func isGivenUp(_ value: String, of name: FieldName) -> Bool {
        fields.first { $0.name == name }.flatMap { field in
            Self.withBytes(of: value) { field.givenUp.line(of: $0) }
        } != nil
    }

    /// Gives the memory back once every row is read.
    mutating func removeAll() { fields.removeAll() }

    private static func withBytes<Value>(of text: String, _ body: (UnsafeBufferPointer<UInt8>) -> Value) -> Value {
        var text = text
        return text.withUTF8(body)
    }
}
