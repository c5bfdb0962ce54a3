internal import CSVStream
internal import ProfileCore

/// The mapping from the columns of an input to the fields of a schema.
package struct ImportColumns: Sendable {
    /// The names of the input's columns.
    let header: [String]
    /// The header of a CSV input; nil for JSON.
    let table: TableHeader?
    /// The column of each field of the schema. Nil if the input has no column for the field. For the secret field, the
    /// element is the column of passwords.
    let columnOfField: [Int?]
    /// The column of password hashes.
    let columnOfHash: Int?
    /// The columns that the import ignores: the columns that the options exclude, and columns with metadata of an
    /// export. If the options allow unknown columns, the set also contains the columns that match no field.
    let ignoredColumns: Set<Int>
    /// The position of the secret field in the schema.
    let secretField: Int?
    /// The integer fields and their columns. The import counts cells with leading zeros in these columns, because a
    /// stored integer has no leading zeros.
    let integers: [(field: Int, column: Int)]
    /// The length in bytes of the header's first cell, or nil if the input has no header. If a later record repeats the
    /// header, its first cell has the same length. With a byte order mark, the cell has 3 more bytes.
    let firstHeaderLength: Int?
    /// The cells of the input's header, as in the input, without `_line` and `_issues` at the end. In a file of
    /// rejected rows, a row that repeats the header has its own line and issues in these two columns.
    let headerCells: [String]
    private let uses: ColumnUses
    /// The fields whose rules require another notation for numbers or booleans than JSON. The key is the column.
    private let rewritten: [Int: FieldRules]

    /// The computation of missing primary keys; nil if every record must have a cell for its key.
    let computedKey: ComputedKey?
    /// The name of the primary key.
    let keyName: String

    /// The column of the computed primary key in the file of rejected rows. Nil if an import of this file can compute
    /// the key again from the corrected cells.
    var keyOfRejects: RejectedRowWriter.KeyPlace? {
        guard let computedKey, !computedKey.isOfColumns else { return nil }
        return computedKey.column.map { .column($0) } ?? .newColumn(keyName)
    }

    /// The columns whose content must never be shown or written.
    var secretColumns: Set<Int> { Set([secretField.flatMap { columnOfField[$0] }, columnOfHash].compactMap(\.self)) }

    /// The column of passwords, which must be hashed.
    var columnOfPasswords: Int? { secretField.flatMap { columnOfField[$0] } }

    /// Whether rows may contain passwords that must be hashed.
    var hasPasswords: Bool { columnOfPasswords != nil }

    /// Whether cells may have unusual features, such as leading zeros. The import accepts these features.
    var mayBeOdd: Bool { !integers.isEmpty || hasPasswords }

    /// The columns that a file of rejected rows adds. An import ignores them.
    package static let rejectColumns = [lineColumn, issuesColumn]
    static let lineColumn = "_line"
    static let issuesColumn = "_issues"

    /// Whether a header belongs to a file of rejected rows.
    static func isOfRejects(_ header: [String]) -> Bool { rejectColumns.allSatisfy { header.contains($0) } }

    /// Whether the columns `_line` and `_issues` are the last columns, as in every written file of rejected rows.
    static func endsWithReason(_ header: [String]) -> Bool { Array(header.suffix(2)) == rejectColumns }

    /// The maximum number of columns of a header. Each name in a header is a String, so this maximum limits the memory
    /// for a header. A schema has at most 100 fields.
    package static let mostColumns = 10_000

    /// Maps each column of a header to a field (I2).
    init(of table: TableHeader, schema: ProfileSchema, options: ImportOptions) throws(ImportError) {
        let header = table.names
        let names = Set(header.map(\.trimmed))
        let named = options.spelled(as: names)
        let uses = ColumnUses(schema, named, header: names)
        let options = uses.options
        var columns: [Int?] = Array(repeating: nil, count: schema.fields.count)
        var hashColumn: Int?
        var unknown: [Int] = []
        var ignored: Set<Int> = []
        for (index, title) in header.enumerated() {
            let title = title.trimmed
            if Self.rejectColumns.contains(title) { continue }
            switch uses.use(of: title) {
            case .hash:
                if let hashColumn { throw Self.twice(ProfileDraft.hashName, hashColumn, index, header) }
                hashColumn = index
            case .field(let field):
                if let first = columns[field] {
                    throw Self.twice(schema.fields[field].name.text, first, index, header)
                }
                columns[field] = index
            case .ignored: ignored.insert(index)
            case .unknown:
                if let target = options.columns[title] { throw Self.unknownField(target, schema) }
                // This column repeats the header of an earlier column, which belongs to a field. If this column counted
                // as unknown, its values could be ignored without an error.
                if let repeated = table.repeated[index], let name = uses.name(of: repeated, in: schema) {
                    let first = header.firstIndex { $0.trimmed == repeated } ?? index
                    throw Self.twice(name, first, index, header)
                }
                unknown.append(index)
            }
        }
        if header.count == 1, unknown.count == 1,
            let delimiter = CSVDelimiter.usual.first(where: { header[0].utf8.contains($0.byte) })
        {
            throw .otherDelimiter(delimiter.byte)
        }
        let isStopped = !unknown.isEmpty && !options.ignoresUnknownColumns
        if !isStopped {
            if let name = Set(options.columns.keys).subtracting(names).min() {
                throw options.key == .columns([name]) ? .keyColumnMissing(name) : .mappedColumnMissing(name)
            }
            // A file of rejected rows may lack the ignored columns of its input. Every file may lack the columns that
            // the settings of the store ignore.
            if let name = named.ignoredColumns.subtracting(names).min(), !Self.isOfRejects(header) {
                throw .ignoredColumnMissing(name)
            }
        }
        let computedKey = try ComputedKey(options.key, of: schema, columns: columns, header: header, uses: uses)
        let open = zip(schema.fields, columns).filter { rules, column in
            column == nil && !(rules.isSecret && hashColumn != nil) && !(rules.isPrimaryKey && computedKey != nil)
        }.map(\.0)
        // If a field has no column, an update does not change it. Therefore an update does not require such fields.
        let missing = open.filter { $0.isPrimaryKey || $0.isRequired && options.duplicates != .update }
        guard !isStopped, missing.isEmpty else {
            // If no column matches a field, the first row may be data. An error must not repeat it, because it may
            // contain personal data such as a password (P12).
            let mayBeData = table.isInInput && hashColumn == nil && columns.allSatisfy { $0 == nil }
            throw .columnMismatch(
                ColumnMismatch(
                    unknown: unknown, of: table, missing: missing, open: open, schema: schema, mayBeData: mayBeData,
                    stopsAtUnknown: isStopped))
        }
        self.computedKey = computedKey
        keyName = schema.primaryKey.name.text
        self.header = header
        columnOfField = columns
        columnOfHash = hashColumn
        ignoredColumns = ignored.union(unknown)
        secretField = schema.passwordIndex
        integers = Self.integers(of: schema, columns)
        self.table = table
        firstHeaderLength = table.firstLength
        headerCells = Self.endsWithReason(table.cells) ? table.cells.dropLast(Self.rejectColumns.count) : table.cells
        self.uses = uses
        rewritten = [:]
    }

    private static func unknownField(_ name: String, _ schema: ProfileSchema) -> ImportError {
        .unknownField(name, fields: schema.fields.map(\.name.text))
    }

    private static func twice(_ field: String, _ first: Int, _ second: Int, _ header: [String]) -> ImportError {
        .columnTwice(field, columns: [header[first].trimmed, header[second].trimmed])
    }

    /// Returns the line of the first record that looks like a header, because its cells are names of fields.
    static func headerLine(
        in records: borrowing RecordBatch, schema: ProfileSchema, options: ImportOptions
    ) -> Int? {
        let uses = ColumnUses(schema, options)
        return HeaderSearch(in: records).line { uses.use(of: $0).isOfField }
    }

    /// Creates the columns for JSON objects: the schema's fields and the password hash.
    init(objectsOf schema: ProfileSchema, options: ImportOptions) throws(ImportError) {
        uses = ColumnUses(schema, options)
        let options = uses.options
        for (name, target) in options.columns.sorted(by: { $0.value < $1.value }) where uses.use(of: name) == .unknown {
            throw Self.unknownField(target, schema)
        }
        header = schema.fields.map(\.name.text) + (schema.hasPassword ? [ProfileDraft.hashName] : [])
        columnOfField = Array(schema.fields.indices)
        // An object may lack any member. If the options exclude a field that the computed key requires, no key is
        // computed.
        let present = schema.fields.enumerated().map { [uses] in uses.leavesOut($1) ? nil : $0 }
        computedKey = try ComputedKey(options.key, of: schema, columns: present, header: header, uses: uses)
        keyName = schema.primaryKey.name.text
        columnOfHash = schema.hasPassword ? schema.fields.count : nil
        ignoredColumns = []
        secretField = schema.passwordIndex
        integers = Self.integers(of: schema, columnOfField)
        table = nil
        firstHeaderLength = nil
        headerCells = header
        let rewritten = schema.fields.enumerated().filter {
            [.integer, .number, .boolean].contains($0.element.type) && !$0.element.isTypedAsStored
        }
        self.rewritten = Dictionary(uniqueKeysWithValues: rewritten.map { ($0.offset, $0.element) })
    }

    /// Returns how the import uses a member of a JSON object: as a field, as a password hash, or not at all. The name
    /// of a member is matched like the header of a column.
    func use(ofMember name: String) -> ColumnUse { uses.use(of: name.trimmed) }

    /// Returns the column of a member, or nil if the member is not imported.
    func column(_ use: ColumnUse) -> Int? {
        switch use {
        case .field(let field): field
        case .hash: columnOfHash
        case .ignored, .unknown: nil
        }
    }

    /// Returns the text of a cell for the value of a member. Returns nil if the value cannot be written as the text of
    /// a cell.
    ///
    /// The elements of a list are joined, except in a column of secrets: a password has only one value.
    func cellText(of member: JSONValue, column: Int) -> String? {
        if let text = member.typedForm(in: rewritten[column]) { return text }
        return column == columnOfPasswords || column == columnOfHash ? nil : member.listForm(in: rewritten[column])
    }

    /// Whether the options name no columns to ignore or to choose. If true, every member of an object is used.
    var takesAllMembers: Bool { uses.options.ignoredColumns.isEmpty && uses.options.chosenColumns.isEmpty }

    /// Whether the members of a nested object are imported like members of the outer object. This is not the case if the
    /// object as a whole is a field or is ignored.
    func isOpened(_ name: String, _ use: ColumnUse) -> Bool {
        guard name.utf8.count <= ColumnName.longestLength else { return false }
        return use == .unknown || use == .ignored && !uses.isIgnored(name.trimmed)
    }

    /// Whether a field or an option names a member of the object with this name, such as `address.city`. If so, the
    /// member `address` may also be null.
    func isParent(_ name: String) -> Bool { uses.isParent(name.trimmed) }

    private static func integers(of schema: ProfileSchema, _ columns: [Int?]) -> [(field: Int, column: Int)] {
        zip(schema.fields.indices, columns).compactMap { field, column in
            guard let column, schema.fields[field].type == .integer else { return nil }
            return (field, column)
        }
    }
}
