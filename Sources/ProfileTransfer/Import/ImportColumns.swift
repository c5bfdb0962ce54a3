internal import CSVStream
package import ProfileCore

/// Which column of an input goes to which field.
package struct ImportColumns: Sendable {
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
    private let uses: ColumnUses
    /// By column, the fields whose numbers or booleans are not written as JSON's are.
    private let rewritten: [Int: FieldRules]

    /// The primary key's position in the schema where it is the number of the record; nil where it has a column.
    let numberedField: Int?
    /// The column of the primary key that takes the number of an object without that member; nil where none does.
    let numberedColumn: Int?
    /// What the primary key is called.
    let keyName: String

    /// Columns whose content must not be shown or written anywhere.
    var secretColumns: Set<Int> { Set([secretField.flatMap { columnOfField[$0] }, columnOfHash].compactMap(\.self)) }

    /// The column of passwords that have to be hashed.
    var columnOfPasswords: Int? { secretField.flatMap { columnOfField[$0] } }

    /// Whether rows may bring such passwords.
    var hasPasswords: Bool { columnOfPasswords != nil }

    /// Whether cells may be odd and are taken all the same.
    var mayBeOdd: Bool { !integers.isEmpty || hasPasswords }

    /// Columns that a rejects file adds, and that an import passes over.
    package static let rejectColumns = [lineColumn, issuesColumn]
    static let lineColumn = "_line"
    static let issuesColumn = "_issues"

    /// Whether a header is that of a file of rejected rows.
    static func isOfRejects(_ header: [String]) -> Bool { rejectColumns.allSatisfy { header.contains($0) } }

    /// The most columns of a header. A schema has a hundred fields, and every cell of a header is a String.
    package static let mostColumns = 10_000

    /// Finds the field of each column of a header (I2).
    init(header: [String], schema: ProfileSchema, options: ImportOptions) throws(ImportError) {
        let uses = ColumnUses(schema, options)
        var columns: [Int?] = Array(repeating: nil, count: schema.fields.count)
        var hashColumn: Int?
        var unknown: [Int] = []
        var ignored: Set<Int> = []
        for (index, title) in header.enumerated() {
            let title = title.trimmed
            if Self.rejectColumns.contains(title) { continue }
            switch uses.use(of: title) {
            case .hash:
                guard hashColumn == nil else { throw .columnTwice(ProfileDraft.hashName) }
                hashColumn = index
            case .field(let field):
                guard columns[field] == nil else { throw .columnTwice(schema.fields[field].name.text) }
                columns[field] = index
            case .ignored: ignored.insert(index)
            case .unknown:
                if let target = options.columns[title] { throw .unknownField(target) }
                unknown.append(index)
            }
        }
        if header.count == 1, unknown.count == 1,
            let delimiter = CSVDelimiter.usual.first(where: { header[0].utf8.contains($0.byte) })
        {
            throw .otherDelimiter(delimiter.byte)
        }
        let isStopped = !unknown.isEmpty && !options.ignoresUnknownColumns
        let notThere = Set(options.columns.keys).subtracting(header.map(\.trimmed))
        if !isStopped, let name = notThere.min() { throw .mappedColumnMissing(name) }
        let isNumbered = columns[schema.primaryKeyIndex] == nil && options.keysByRow
        let open = zip(schema.fields, columns).filter { rules, column in
            column == nil && !(rules.isSecret && hashColumn != nil) && !(rules.isPrimaryKey && isNumbered)
        }.map(\.0)
        // An update leaves what has no column as it is stored.
        let missing = open.filter { $0.isPrimaryKey || $0.isRequired && options.duplicates != .update }
        guard !isStopped, missing.isEmpty else {
            // Where not one name is known the first row may be a person's, whose password must not be repeated (P12).
            let mayBeData = hashColumn == nil && columns.allSatisfy { $0 == nil }
            throw .columnMismatch(
                ColumnMismatch(
                    unknown: unknown, of: header, missing: missing, open: open, schema: schema, mayBeData: mayBeData,
                    stopsAtUnknown: isStopped))
        }
        numberedField = isNumbered ? schema.primaryKeyIndex : nil
        numberedColumn = nil
        keyName = schema.primaryKey.name.text
        self.header = header
        columnOfField = columns
        columnOfHash = hashColumn
        ignoredColumns = ignored.union(unknown)
        secretField = schema.index(of: .password)
        integers = Self.integers(of: schema, columns)
        firstHeaderLength = header.first?.utf8.count
        self.uses = uses
        rewritten = [:]
    }

    /// The line of the first of some records that names fields, as a header does.
    static func headerLine(
        in records: borrowing RecordBatch, schema: ProfileSchema, options: ImportOptions
    ) -> Int? {
        let uses = ColumnUses(schema, options)
        return HeaderSearch(in: records).line { uses.use(of: $0).isOfField }
    }

    /// The columns into which objects are brought whose members have names: the schema's fields and the hash.
    init(objectsOf schema: ProfileSchema, options: ImportOptions) throws(ImportError) {
        uses = ColumnUses(schema, options)
        for (name, target) in options.columns.sorted(by: { $0.value < $1.value }) where uses.use(of: name) == .unknown {
            throw .unknownField(target)
        }
        header = schema.fields.map(\.name.text) + (schema.hasPassword ? [ProfileDraft.hashName] : [])
        numberedField = nil
        numberedColumn = options.keysByRow ? schema.primaryKeyIndex : nil
        keyName = schema.primaryKey.name.text
        columnOfField = Array(schema.fields.indices)
        columnOfHash = schema.hasPassword ? schema.fields.count : nil
        ignoredColumns = []
        secretField = schema.index(of: .password)
        integers = Self.integers(of: schema, columnOfField)
        firstHeaderLength = nil
        let rewritten = schema.fields.enumerated().filter {
            [.integer, .number, .boolean].contains($0.element.type) && !$0.element.isTypedAsStored
        }
        self.rewritten = Dictionary(uniqueKeysWithValues: rewritten.map { ($0.offset, $0.element) })
    }

    /// What becomes of an object's member, as a header's column of that name would find its field.
    func use(ofMember name: String) -> ColumnUse { uses.use(of: name.trimmed) }

    /// The column into which a member is brought; nil where none is.
    func column(_ use: ColumnUse) -> Int? {
        switch use {
        case .field(let field): field
        case .hash: columnOfHash
        case .ignored, .unknown: nil
        }
    }

    /// What a cell would hold of an object's member; nil for what no cell can.
    func cellText(of member: JSONValue, column: Int) -> String? { member.typedForm(in: rewritten[column]) }

    private static func integers(of schema: ProfileSchema, _ columns: [Int?]) -> [(field: Int, column: Int)] {
        zip(schema.fields.indices, columns).compactMap { field, column in
            guard let column, schema.fields[field].type == .integer else { return nil }
            return (field, column)
        }
    }
}

/// What an import does with a column, or with a member of JSON.
package enum ColumnUse: Hashable, Sendable {
    /// It brings the values of the field with this position in the schema.
    case field(Int)
    /// It brings hashes of passwords.
    case hash
    /// It is passed over, since somebody has said so.
    case ignored
    /// It means no field.
    case unknown

    package var isOfField: Bool { self != .ignored && self != .unknown }
}

/// What an import does with each column, by its header: what somebody has said of it, else what its name means to the schema.
package struct ColumnUses: Sendable {
    private let options: ImportOptions
    /// As they are written, for headers that differ in what is folded alone.
    private let exact: [String: Int]
    private let fields: [FoldedHeader: Int]
    /// The names of brought hashes, as they are written.
    private let exactHashes: Set<String>
    private let hashes: Set<FoldedHeader>
    private let hasPassword: Bool

    private static let hashName = FoldedHeader(ProfileDraft.hashName)

    package init(_ schema: ProfileSchema, _ options: ImportOptions = ImportOptions()) {
        var names = schema.fields.enumerated().flatMap { index, rules in
            ([rules.name.text] + rules.columns).map { (name: $0, index: index) }
        }
        // Whatever a schema calls the primary key, it is who somebody is; unless another field has such a column.
        names.append((name: FieldName.username.text, index: schema.primaryKeyIndex))
        exact = Dictionary(names.map { ($0.name, $0.index) }) { first, _ in first }
        fields = Dictionary(names.map { (FoldedHeader($0.name), $0.index) }) { first, _ in first }
        let hashNames = schema[.password].map { [ProfileDraft.hashName] + $0.hashColumns } ?? []
        exactHashes = Set(hashNames)
        hashes = Set(hashNames.map(FoldedHeader.init))
        hasPassword = schema.hasPassword
        self.options = options
    }

    /// What becomes of the column of a header.
    ///
    /// - Parameter header: Without the white space around it.
    /// - Returns: What is done with it.
    package func use(of header: String) -> ColumnUse {
        if options.ignoredColumns.contains(header) { return .ignored }
        if !options.chosenColumns.isEmpty, !options.chosenColumns.contains(header) { return .ignored }
        guard let target = options.columns[header] else {
            if exactHashes.contains(header) { return .hash }
            if let field = exact[header] { return .field(field) }
            let name = FoldedHeader(header)
            return hashes.contains(name) ? .hash : field(header, name)
        }
        // Who maps a column names the field itself, whatever columns of that name hold.
        let name = FoldedHeader(target)
        if name == Self.hashName, hasPassword { return .hash }
        let field = field(target, name)
        return field == .unknown && hashes.contains(name) ? .hash : field
    }

    private func field(_ name: String, _ folded: FoldedHeader) -> ColumnUse {
        (exact[name] ?? fields[folded]).map(ColumnUse.field) ?? .unknown
    }
}
