internal import ProfileCore

/// Which column of an input goes to which field.
struct ImportColumns: Sendable {
    /// The header as it was given.
    let header: [String]
    /// By the schema's fields: the column, or nil where the input has none. The secret field's is that of passwords.
    let columnOfField: [Int?]
    /// The column of brought hashes.
    let columnOfHash: Int?
    /// Columns that are no field, and that an import passes over because it was told to.
    let ignoredColumns: Set<Int>
    /// The secret field's position in the schema.
    let secretField: Int?
    /// The fields whose values are integers, which keep no leading zeros, and their columns.
    let integers: [(field: Int, column: Int)]
    /// The bytes of the header's first cell, by which a row is known to be another; nil where the input has no header.
    let firstHeaderLength: Int?
    private let names: FieldNames

    /// Columns whose content must not be shown or written anywhere.
    var secretColumns: Set<Int> { Set([secretField.flatMap { columnOfField[$0] }, columnOfHash].compactMap(\.self)) }

    /// Whether rows may bring passwords that have to be hashed.
    var hasPasswords: Bool { secretField.flatMap { columnOfField[$0] } != nil }

    /// Columns that a rejects file adds, and that an import passes over.
    static let rejectColumns = ["_line", "_issues"]

    /// The most columns of a header. A schema has a hundred fields, and every cell of a header is a String.
    static let mostColumns = 10_000

    /// Finds the field of each column of a header (I2).
    init(header: [String], schema: ProfileSchema, options: ImportOptions) throws(ImportError) {
        let names = FieldNames(of: schema)
        var columns: [Int?] = Array(repeating: nil, count: schema.fields.count)
        var hashColumn: Int?
        var unknown: [Int] = []
        for (index, title) in header.enumerated() {
            let title = title.trimmed
            if Self.rejectColumns.contains(title) { continue }
            let mapped = options.columns[title]
            let target = mapped ?? title
            if names.isHash(target) {
                guard hashColumn == nil else { throw .columnTwice(ProfileDraft.hashName) }
                hashColumn = index
            } else if let field = names.field(target) {
                guard columns[field] == nil else { throw .columnTwice(schema.fields[field].name.text) }
                columns[field] = index
            } else if mapped != nil {
                throw .unknownField(target)
            } else {
                unknown.append(index)
            }
        }
        guard unknown.isEmpty || options.ignoresUnknownColumns else {
            // Where not one name is known the first row may be a person's, whose password must not be repeated (P12).
            let isHeader = hashColumn != nil || columns.contains { $0 != nil }
            throw isHeader ? .unknownColumns(unknown.map { Self.name(of: $0, in: header) }) : .noKnownColumns
        }
        let missing = Set(options.columns.keys).subtracting(header.map(\.trimmed))
        if let missing = missing.min() { throw .mappedColumnMissing(missing) }
        guard let username = schema.index(of: .username), columns[username] != nil else { throw .noUsernameColumn }
        self.header = header
        columnOfField = columns
        columnOfHash = hashColumn
        ignoredColumns = Set(unknown)
        secretField = schema.index(of: .password)
        integers = Self.integers(of: schema, columns)
        firstHeaderLength = header.first?.utf8.count
        self.names = names
    }

    /// The columns into which objects are brought whose members have names: the schema's fields and the hash.
    init(objectsOf schema: ProfileSchema, options: ImportOptions) throws(ImportError) {
        names = FieldNames(of: schema)
        for target in options.columns.values.sorted() where !names.isHash(target) && names.field(target) == nil {
            throw .unknownField(target)
        }
        header = schema.fields.map(\.name.text) + (schema.hasPassword ? [ProfileDraft.hashName] : [])
        columnOfField = schema.fields.indices.map { $0 }
        columnOfHash = schema.hasPassword ? schema.fields.count : nil
        ignoredColumns = []
        secretField = schema.index(of: .password)
        integers = Self.integers(of: schema, columnOfField)
        firstHeaderLength = nil
    }

    /// The column of an object's member, as a header's column of that name would find its field.
    func column(ofMember name: String, options: ImportOptions) -> Int? {
        let target = options.columns[name] ?? name
        return names.isHash(target) ? columnOfHash : names.field(target)
    }

    private static func integers(of schema: ProfileSchema, _ columns: [Int?]) -> [(field: Int, column: Int)] {
        zip(schema.fields.indices, columns).compactMap { field, column in
            guard let column, schema.fields[field].type == .integer else { return nil }
            return (field, column)
        }
    }

    private static func name(of column: Int, in header: [String]) -> String {
        let title = header[column].trimmed
        return title.isEmpty ? "column \(column + 1), which has no name" : title
    }
}

/// The fields of a schema by the names that mean them.
private struct FieldNames: Sendable {
    private let exact: [String: Int]
    private let folded: [String: Int]
    private let hash: String?

    init(of schema: ProfileSchema) {
        let names = schema.fields.enumerated().map { ($0.element.name.text, $0.offset) }
        exact = Dictionary(names) { first, _ in first }
        folded = Dictionary(names.map { (Self.folded($0), $1) }) { first, _ in first }
        hash = schema.hasPassword ? Self.folded(ProfileDraft.hashName) : nil
    }

    /// The field's position in the schema.
    func field(_ name: String) -> Int? { exact[name] ?? folded[Self.folded(name)] }

    func isHash(_ name: String) -> Bool { Self.folded(name) == hash }

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
