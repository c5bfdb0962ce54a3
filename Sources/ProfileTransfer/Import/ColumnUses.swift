internal import CSVStream
package import ProfileCore

/// The use of a column or of a JSON member in an import.
package enum ColumnUse: Hashable, Sendable {
    /// The column holds the values of the field at this position in the schema.
    case field(Int)
    /// The column holds password hashes.
    case hash
    /// The import ignores the column, because the options request it, or because the column contains metadata that an
    /// export wrote, for example `_id`.
    case ignored
    /// The column matches no field.
    case unknown

    package var isOfField: Bool { self != .ignored && self != .unknown }
}

/// Determines the use of each column from its header. The options take precedence over the names in the schema.
package struct ColumnUses: Sendable {
    /// The options, completed by the settings of the schema.
    let options: ImportOptions
    /// The position of each field. The key is an exact name of the field's column. Exact names are matched first,
    /// because two different names may be equal after folding.
    private let exact: [String: Int]
    private let fields: [FoldedHeader: Int]
    /// The exact names of columns of password hashes.
    private let exactHashes: Set<String>
    private let hashes: Set<FoldedHeader>
    private let hasPassword: Bool
    /// The folded names of the columns that the options ignore. Empty if the header is known, because the names in the
    /// options are then replaced by the names in the header.
    private let foldedIgnored: Set<FoldedHeader>
    private let foldedColumns: [FoldedHeader: String]

    private static let hashName = FoldedHeader(ProfileDraft.hashName)

    /// Creates the uses. `header` has the names of the columns if they are known, without surrounding white space.
    package init(
        _ schema: ProfileSchema, _ options: ImportOptions = ImportOptions(), header: Set<String>? = nil
    ) {
        foldedIgnored = header == nil ? Set(options.ignoredColumns.map(FoldedHeader.init).filter { !$0.isEmpty }) : []
        foldedColumns = Dictionary(
            (header == nil ? options.columns : [:]).sorted { $0.key < $1.key }.map { (FoldedHeader($0.key), $0.value) }
        ) { first, _ in first }
        var names = schema.fields.enumerated().flatMap { index, rules in
            ([rules.name.text] + rules.columns).map { (name: $0, index: index) }
        }
        // A column `username` maps to the primary key, even if the key has another name in the schema. But if the
        // schema assigns the column `username` to another field, the column maps to that field.
        names.append((name: FieldName.username.text, index: schema.primaryKeyIndex))
        // Former names match too, so a file with an old header still fits. They come last, because another field may
        // have such a name now.
        names += schema.fields.enumerated().compactMap { index, rules in
            rules.formerName.map { (name: $0.text, index: index) }
        }
        exact = Dictionary(names.map { ($0.name, $0.index) }) { first, _ in first }
        fields = Dictionary(names.map { (FoldedHeader($0.name), $0.index) }) { first, _ in first }
        let hashNames = schema[.password].map { [ProfileDraft.hashName] + $0.hashColumns } ?? []
        exactHashes = Set(hashNames)
        hashes = Set(hashNames.map(FoldedHeader.init))
        hasPassword = schema.hasPassword
        var options = (header.map(options.spelled) ?? options).completed(by: schema.importSettings)
        // If the key is made from one column, this column contains the key.
        if case .columns(let headers) = options.key, let header = headers.first, headers.count == 1 {
            options.columns[header] = options.columns[header] ?? schema.primaryKey.name.text
        }
        self.options = options
    }

    /// Returns the use of the column that has this header.
    ///
    /// - Parameter header: The header without surrounding white space.
    /// - Returns: The use of the column.
    package func use(of header: String) -> ColumnUse {
        if options.ignoredColumns.contains(header) { return .ignored }
        if !options.chosenColumns.isEmpty, !options.chosenColumns.contains(header) { return .ignored }
        guard let target = options.columns[header] else {
            if exactHashes.contains(header) { return .hash }
            if let field = exact[header] { return .field(field) }
            // An export wrote this column, for example `_id`. This check precedes folding, because the folded name may
            // be equal to the name of a field.
            if ProfileFact(name: header) != nil { return .ignored }
            let name = FoldedHeader(header)
            if foldedIgnored.contains(name) { return .ignored }
            if let target = foldedColumns[name] { return use(ofTarget: target) }
            return hashes.contains(name) ? .hash : field(header, name)
        }
        return use(ofTarget: target)
    }

    /// Returns the use of a column that the options map to this name.
    private func use(ofTarget target: String) -> ColumnUse {
        // The options map a header to a field name. Therefore field names take precedence over column names here.
        let name = FoldedHeader(target)
        if name == Self.hashName, hasPassword { return .hash }
        let field = field(target, name)
        return field == .unknown && hashes.contains(name) ? .hash : field
    }

    /// Whether the options exclude this field from JSON objects. This is true if they ignore one of the field's names,
    /// or if they choose columns and none of these columns has a name of the field.
    func leavesOut(_ field: FieldRules) -> Bool {
        let names = [field.name.text] + field.columns
        return names.contains(where: options.ignoredColumns.contains) || names.allSatisfy { use(of: $0) == .ignored }
    }

    /// Whether the options ignore the column with this header by name.
    func isIgnored(_ header: String) -> Bool {
        options.ignoredColumns.contains(header) || foldedIgnored.contains(FoldedHeader(header))
    }

    /// The number of names `column_1`, `column_2`, … before the first unknown name. An input without a header probably
    /// has this number of columns.
    var numberedColumns: Int {
        (1...ImportColumns.mostColumns).prefix { use(of: "column_\($0)") != .unknown }.count
    }

    /// Whether a name in the schema or in the options begins with the name of this object and a separator. For the
    /// object `address`, such names are `address.city` and `address_city`.
    func isParent(_ object: String) -> Bool {
        let words = ColumnName(object).words.joined(separator: "_")
        let beginnings = [object + ".", words + "_"]
        func isMember(_ name: String) -> Bool { beginnings.contains { name.count > $0.count && name.hasPrefix($0) } }
        return exact.keys.contains(where: isMember) || options.columns.keys.contains(where: isMember)
            || options.ignoredColumns.contains(where: isMember) || options.chosenColumns.contains(where: isMember)
    }

    /// Returns the name of the field or of the password hash that a column with this header holds; nil if it holds
    /// neither.
    func name(of header: String, in schema: ProfileSchema) -> String? {
        switch use(of: header) {
        case .field(let field): schema.fields[field].name.text
        case .hash: ProfileDraft.hashName
        case .ignored, .unknown: nil
        }
    }

    private func field(_ name: String, _ folded: FoldedHeader) -> ColumnUse {
        (exact[name] ?? fields[folded]).map(ColumnUse.field) ?? .unknown
    }
}
