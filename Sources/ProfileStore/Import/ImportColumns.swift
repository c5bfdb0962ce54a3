internal import ProfileCore

/// Which column of an input goes to which field.
struct ImportColumns: Sendable {
    /// The header as it was given.
    let header: [String]
    /// By the schema's fields: the column, or nil where the input has none. The secret field's is that of passwords.
    let columnOfField: [Int?]
    /// The column of brought hashes.
    let columnOfHash: Int?
    /// The secret field's position in the schema.
    let secretField: Int?

    /// Columns whose content must not be shown or written anywhere.
    var secretColumns: Set<Int> { Set([secretField.flatMap { columnOfField[$0] }, columnOfHash].compactMap(\.self)) }

    /// Whether rows may bring passwords that have to be hashed.
    var hasPasswords: Bool { secretField.flatMap { columnOfField[$0] } != nil }

    /// Columns that a rejects file adds, and that an import passes over.
    static let rejectColumns = ["_line", "_issues"]

    /// Finds the field of each column of a header (I2).
    init(header: [String], schema: ProfileSchema, options: ImportOptions) throws(ImportError) {
        var columns: [Int?] = Array(repeating: nil, count: schema.fields.count)
        var hashColumn: Int?
        var unknown: [String] = []
        for (index, title) in header.enumerated() {
            let title = title.trimmed
            if Self.rejectColumns.contains(title) { continue }
            let mapped = options.columns[title]
            let target = mapped ?? title
            if Self.isHash(target, schema) {
                guard hashColumn == nil else { throw .columnTwice(ProfileDraft.hashName) }
                hashColumn = index
            } else if let field = Self.field(named: target, of: schema) {
                guard columns[field] == nil else { throw .columnTwice(schema.fields[field].name.text) }
                columns[field] = index
            } else if mapped != nil {
                throw .unknownField(target)
            } else {
                unknown.append(title.isEmpty ? "column \(index + 1), which has no name" : title)
            }
        }
        guard unknown.isEmpty || options.ignoresUnknownColumns else {
            // Where not one name is known the first row may be a person's, whose password must not be repeated (P12).
            let isHeader = hashColumn != nil || columns.contains { $0 != nil }
            throw isHeader ? .unknownColumns(unknown) : .noKnownColumns
        }
        let missing = Set(options.columns.keys).subtracting(header.map(\.trimmed))
        if let missing = missing.min() { throw .mappedColumnMissing(missing) }
        guard let username = schema.index(of: .username), columns[username] != nil else { throw .noUsernameColumn }
        self.header = header
        columnOfField = columns
        columnOfHash = hashColumn
        secretField = schema.index(of: .password)
    }

    /// The columns into which objects are brought whose members have names: the schema's fields and the hash.
    init(objectsOf schema: ProfileSchema, options: ImportOptions) throws(ImportError) {
        for target in options.columns.values.sorted()
        where !Self.isHash(target, schema) && Self.field(named: target, of: schema) == nil {
            throw .unknownField(target)
        }
        header = schema.fields.map(\.name.text) + (schema.hasPassword ? [ProfileDraft.hashName] : [])
        columnOfField = schema.fields.indices.map { $0 }
        columnOfHash = schema.hasPassword ? schema.fields.count : nil
        secretField = schema.index(of: .password)
    }

    /// The column of an object's member, as a header's column of that name would find its field.
    func column(ofMember name: String, of schema: ProfileSchema, options: ImportOptions) -> Int? {
        let target = options.columns[name] ?? name
        return Self.isHash(target, schema) ? columnOfHash : Self.field(named: target, of: schema)
    }

    private static func isHash(_ name: String, _ schema: ProfileSchema) -> Bool {
        schema.hasPassword && folded(name) == folded(ProfileDraft.hashName)
    }

    private static func field(named name: String, of schema: ProfileSchema) -> Int? {
        if let exact = schema.fields.firstIndex(where: { $0.name.text == name }) { return exact }
        let name = folded(name)
        return schema.fields.firstIndex { folded($0.name.text) == name }
    }

    /// `postal code`, `Postal-Code`, `postalCode` and `postal_code` are one.
    private static func folded(_ name: String) -> String {
        String(
            decoding: name.utf8.filter { $0 != 0x20 && $0 != UInt8(ascii: "-") && $0 != UInt8(ascii: "_") }
                .map(\.asciiFolded), as: UTF8.self)
    }
}

extension String {
    /// Without the ASCII white space around it.
    fileprivate var trimmed: String { String(Array(utf8).span.trimmed()) }
}
