internal import CSVStream
package import ProfileCore
internal import SecretHashing

/// Computes the primary key of each record that has no cell for the key.
struct ComputedKey: Sendable {
    /// The position of the primary key in the schema.
    let field: Int
    /// The column of the primary key. Nil if the input has none. A record needs a computed key only if its cell in this
    /// column is absent or empty.
    let column: Int?
    private let source: Source
    /// The validator of the schema. Values that are written differently but stored equally have the same key.
    private let validator: ProfileValidator

    fileprivate enum Source {
        case rowNumber
        case columns([Part])
        case content([Part])
    }

    /// A column whose cells are part of the key.
    fileprivate struct Part {
        let field: Int
        let name: FieldName
        let column: Int
    }

    /// Creates the computation. Nil if no key is computed, because a column of the input contains all keys.
    ///
    /// - Parameters:
    ///   - source: The source of the key.
    ///   - schema: The schema.
    ///   - columns: The column of each field.
    ///   - header: The names of the columns.
    ///   - uses: The uses of the columns.
    /// - Throws: `keyColumnMissing` if the input lacks a column of the key, or a column for a field of
    ///   `ImportSettings.contentFields`. `keyColumnWithoutField` if a column of the key has no field that may be part of
    ///   a key.
    init?(
        _ source: KeySource, of schema: ProfileSchema, columns: [Int?], header: [String], uses: ColumnUses
    ) throws(ImportError) {
        let key = schema.primaryKeyIndex
        func part(_ field: Int) -> Part? {
            let rules = schema.fields[field]
            guard field != key, !rules.isSecret, let column = columns[field] else { return nil }
            return Part(field: field, name: rules.name, column: column)
        }
        func errorWithout(_ column: String, _ names: [String]) -> ImportError {
            let names = names.map(FoldedHeader.init)
            let isThere = header.contains { names.contains(FoldedHeader($0)) }
            return isThere ? .keyColumnWithoutField(column) : .keyColumnMissing(column)
        }
        switch source {
        case .column: return nil
        case .rowNumber: self.source = .rowNumber
        case .columns(let headers):
            var parts: [Part] = []
            for name in headers {
                if case .field(let field) = uses.use(of: name.trimmed), let part = part(field) {
                    parts.append(part)
                    continue
                }
                // A file that has a column for the key needs no other column for it.
                if columns[key] != nil { return nil }
                throw errorWithout(name, [name])
            }
            self.source = .columns(parts)
        case .content:
            let names = schema.importSettings.contentFields
            for (index, rules) in schema.fields.enumerated()
            where names.contains(rules.name.text) && part(index) == nil && index != key && !rules.isSecret {
                // The input lacks a column of the content. Without this column, the hash of a row would differ from the
                // hash of the same row in an earlier file.
                if columns[key] != nil { return nil }
                throw errorWithout(rules.originalHeader, [rules.name.text] + rules.columns)
            }
            // The parts are sorted by name. Therefore the order of the columns in the file does not affect the key.
            self.source = .content(
                schema.fields.indices.compactMap(part)
                    .filter { names.isEmpty || names.contains($0.name.text) }.sorted { $0.name.text < $1.name.text })
        }
        field = key
        column = columns[key]
        validator = ProfileValidator(schema)
    }

    /// Returns whether a record needs a computed key.
    fileprivate func isNeeded(by record: RecordBatch.Record, in records: borrowing RecordBatch) -> Bool {
        guard let column else { return true }
        guard column < record.cells.count else { return false }
        let cell = record.cells.lowerBound + column
        if records.isAbsent(cell) { return true }
        if case .rowNumber = source { return false }
        return records.cell(cell).trimmed().isEmpty
    }

    /// Returns the key of a record. Nil if the record lacks a part of the key, or if the key is ``content(of:in:)``.
    fileprivate func text(of record: RecordBatch.Record, in records: borrowing RecordBatch) -> String? {
        switch source {
        case .rowNumber: return String(record.number)
        case .content: return nil
        case .columns(let parts):
            var key = CompositeKey()
            for part in parts {
                guard let text = text(part, of: record, in: records) else { return nil }
                key.append(text.utf8Span.span)
            }
            return key.text
        }
    }

    /// Returns an issue if a record has a cell for the key, and this cell differs from the key that its other cells form.
    func contradiction(
        in record: RecordBatch.Record, of records: borrowing RecordBatch, _ schema: ProfileSchema
    ) -> ValidationIssue? {
        guard case .columns(let parts) = source, let column, record.fault == nil,
            let text = text(of: record, in: records)
        else { return nil }
        let cell = records.cell(record.cells.lowerBound + column).trimmed()
        guard !cell.isEmpty, !CompositeKey.isSame(String(cell), text) else { return nil }
        return .contradictedKey(ofParts: parts.map(\.field), in: schema)
    }

    /// Whether the key consists of the cells of several columns.
    var isOfColumns: Bool { if case .columns = source { true } else { false } }

    /// Whether keys are hashes of the content.
    fileprivate var isOfContent: Bool { if case .content = source { true } else { false } }

    /// Whether a fault made the cell of the key unreadable, or a cell from which the key is computed.
    func isUnread(_ fault: ReadFault) -> Bool {
        let parts: [Part] =
            switch source {
            case .rowNumber: []
            case .columns(let parts), .content(let parts): parts
            }
        return !fault.unreadColumns.isDisjoint(with: [column].compactMap(\.self) + parts.map(\.column))
    }

    /// Whether a record has a key even if its cells are unreadable.
    fileprivate var isOfEveryRecord: Bool { if case .rowNumber = source { true } else { false } }

    /// Returns the hash of a record's cells: 32 hexadecimal digits. An empty cell has no effect, as if its column did
    /// not exist.
    fileprivate func content(of record: RecordBatch.Record, in records: borrowing RecordBatch) -> String? {
        guard case .content(let parts) = source else { return nil }
        var bytes: [UInt8] = []
        for part in parts {
            let cell = records.cell(record.cells.lowerBound + part.column).trimmed()
            guard !cell.isEmpty else { continue }
            // A text that means "no value" is content too.
            let value = text(part, of: record, in: records) ?? String(cell)
            // The length before each text distinguishes `ab`, `c` from `a`, `bc`.
            for text in [part.name.text, value] {
                bytes += "\(text.utf8.count):".utf8
                bytes += text.utf8
            }
        }
        return String(SHA256.hexadecimal(bytes.span).prefix(32))
    }

    private func text(
        _ part: Part, of record: RecordBatch.Record, in records: borrowing RecordBatch
    ) -> String? {
        validator.keyPart(records.cell(record.cells.lowerBound + part.column), index: part.field)
    }

    /// Returns the positions of the fields in which a record lacks a part of its key.
    func fieldsLacking(in record: RecordBatch.Record, of records: borrowing RecordBatch) -> [Int] {
        guard case .columns(let parts) = source else { return [] }
        var fields: [Int] = []
        for part in parts {
            if text(part, of: record, in: records) == nil { fields.append(part.field) }
        }
        return fields
    }
}

extension ColumnUses {
    /// Returns the fields whose stored values form a computed key.
    package func fields(of key: KeySource, in schema: ProfileSchema) -> Set<FieldName> {
        switch key {
        case .column, .rowNumber: return []
        case .columns(let headers):
            let names = headers.compactMap { header in
                if case .field(let field) = use(of: header.trimmed) { schema.fields[field].name } else { nil }
            }
            return Set(names)
        case .content:
            let names = schema.importSettings.contentFields
            return Set((names.isEmpty ? schema.contentFields : names).compactMap(FieldName.init))
        }
    }
}

/// The computed keys of an input. If the content of a row repeats, its key ends with a number. So the records must come
/// in the order of the input.
struct ComputedKeys: Sendable {
    private let key: ComputedKey
    private let columnCount: Int
    private var contents = KeySet(foldsCase: false)
    /// The number of rows of each content that occurs more than once.
    private var counts: [String: Int] = [:]

    /// Returns nil if no key of the input is computed.
    init?(of columns: ImportColumns) {
        guard let key = columns.computedKey else { return nil }
        self.key = key
        columnCount = columns.header.count
    }

    /// Returns the computed key of each record of a batch. Nil if a record does not need a computed key, or if its key
    /// cannot be computed. `faults` has the errors of JSON objects.
    mutating func keys(of records: borrowing RecordBatch, _ faults: [Int: ReadFault] = [:]) -> [String?] {
        var keys: [String?] = []
        keys.reserveCapacity(records.records.count)
        for (index, record) in records.records.enumerated() {
            keys.append(text(of: record, in: records, faults[index]))
        }
        return keys
    }

    private mutating func text(
        of record: RecordBatch.Record, in records: borrowing RecordBatch, _ fault: ReadFault?
    ) -> String? {
        // The record of a JSON object with errors has one more cell than there are columns.
        let isWhole = fault.map { !key.isUnread($0) } ?? (record.fault == nil && record.cells.count == columnCount)
        guard isWhole || key.isOfEveryRecord, key.isNeeded(by: record, in: records) else { return nil }
        guard key.isOfContent else { return key.text(of: record, in: records) }
        guard let content = key.content(of: record, in: records) else { return nil }
        var bytes = content
        let isNew = bytes.withUTF8 { contents.insert($0, line: record.line) == nil }
        guard !isNew else { return content }
        counts[content, default: 1] += 1
        return "\(content)-\(counts[content, default: 1])"
    }
}
