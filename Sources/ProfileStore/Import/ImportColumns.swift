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
        var mapped = options.columns
        for (index, title) in header.enumerated() {
            let title = title.trimmed
            if Self.rejectColumns.contains(title) { continue }
            let target = mapped.removeValue(forKey: title) ?? title
            let isMapped = options.columns[title] != nil
            let name = Self.folded(target)
            if name == Self.folded(ProfileDraft.hashName), schema.hasPassword {
                guard hashColumn == nil else { throw .columnTwice(ProfileDraft.hashName) }
                hashColumn = index
            } else if let field = schema.fields.firstIndex(where: { $0.name.text == target })
                ?? schema.fields.firstIndex(where: { Self.folded($0.name.text) == name })
            {
                guard columns[field] == nil else { throw .columnTwice(schema.fields[field].name.text) }
                columns[field] = index
            } else if isMapped {
                throw .unknownField(target)
            } else {
                unknown.append(title.isEmpty ? "column \(index + 1), which has no name" : title)
            }
        }
        guard unknown.isEmpty || options.ignoresUnknownColumns else { throw .unknownColumns(unknown) }
        if let missing = mapped.keys.min() { throw .mappedColumnMissing(missing) }
        guard let username = schema.index(of: .username), columns[username] != nil else { throw .noUsernameColumn }
        self.header = header
        columnOfField = columns
        columnOfHash = hashColumn
        secretField = schema.index(of: .password)
    }

    /// The columns into which objects are brought whose members have names: the schema's fields and the hash.
    init(objectsFor schema: ProfileSchema) {
        header = schema.fields.map(\.name.text) + (schema.hasPassword ? [ProfileDraft.hashName] : [])
        columnOfField = schema.fields.indices.map { $0 }
        columnOfHash = schema.hasPassword ? schema.fields.count : nil
        secretField = schema.index(of: .password)
    }

    /// The column of a member's name, as ``init(header:schema:options:)`` would find it.
    func column(named name: String, options: ImportOptions) -> Int? {
        let folded = Self.folded(options.columns[name] ?? name)
        return header.firstIndex { Self.folded($0) == folded }
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
