internal import ProfileCore
internal import TextLayout

/// The mismatch between the columns of an input and the fields of a schema (I2).
public struct ColumnMismatch: Hashable, Sendable {
    /// An unknown column, and the field to which this column probably belongs. No other column belongs to the field.
    public struct Suggestion: Hashable, Sendable {
        /// The header of the column, without surrounding white space.
        public let column: String
        /// The field's name, or `password_hash`.
        public let field: String
    }

    /// The columns that match no field, in the header's order. The array is empty if the import ignores unknown
    /// columns, or if the first row may be data.
    public let unknownColumns: [String]
    /// The required fields without a column, in the schema's order. With the policy `update`, this array can contain
    /// only the primary key.
    public let missingFields: [String]
    /// All fields of the schema, in its order.
    public let fields: [String]
    /// Suggestions in the header's order. Each column and each field occurs at most once.
    public let suggestions: [Suggestion]
    /// Whether no column matches a field, for example because the first row is data and not a header.
    ///
    /// If the first row is data, it may contain personal data. Therefore the mismatch contains a cell of this row only
    /// if the cell is a common column name (P12).
    public let mayBeData: Bool
    /// The line that was read as the header, from 1. Nil if the input has no header.
    package internal(set) var lineRead: Int?
    /// The line of a later record that looks like the header, because its cells are names of fields. Nil if none of the
    /// first records looks like the header.
    public internal(set) var headerLine: Int?

    /// Suggests a field for each unknown column.
    ///
    /// - Parameters:
    ///   - unknown: The positions of columns that match no field.
    ///   - table: The header of the input.
    ///   - missing: Required fields without a column.
    ///   - open: All fields without a column. A suggestion maps an unknown column to one of these fields.
    ///   - schema: The schema of the fields.
    ///   - mayBeData: Whether the first row may be data, because no column matches a field.
    ///   - stopsAtUnknown: Whether an unknown column is an error.
    init(
        unknown: [Int], of table: TableHeader, missing: [FieldRules], open: [FieldRules], schema: ProfileSchema,
        mayBeData: Bool, stopsAtUnknown: Bool
    ) {
        unknownColumns = stopsAtUnknown && !mayBeData ? unknown.map { Self.name(of: $0, in: table.names) } : []
        missingFields = missing.map(\.name.text)
        fields = schema.fields.map(\.name.text)
        // Columns with the same header get no suggestion, because only the user knows which of them belongs to a field.
        let candidates = unknown.filter { !table.isRepeated($0) }.prefix(Self.mostCandidates)
            .map { ColumnName(table.names[$0]) }
        suggestions =
            mayBeData ? Self.commonNames(among: candidates, open: open) : Self.suggestions(for: candidates, open: open)
        self.mayBeData = mayBeData
    }

    /// The maximum number of columns to compare with the fields. It equals the maximum number of fields in a schema.
    private static let mostCandidates = 100

    private static func name(of column: Int, in header: [String]) -> String {
        let title = header[column].trimmed
        return title.isEmpty ? "column \(column + 1), which has no name" : title
    }

    // MARK: Suggestions

    private static func suggestions(for columns: [ColumnName], open: [FieldRules]) -> [Suggestion] {
        let columns = columns.filter { !$0.header.isEmpty }
        var search = SuggestionSearch(columns: columns, open: open)
        // The most reliable criterion is tried first, and the least reliable criterion is tried last.
        search.take { column, rules in FoldedHeader(rules.title) == FoldedHeader(column.header) }
        search.take { column, rules in rules.isSecret && [.password, .hash].contains(column.secrecy) }
        search.take { column, rules in column.hasMeaning(of: rules) }
        search.takeNearest()
        search.takeKey()
        return search.suggestions
    }

    /// Returns suggestions only if at least two cells are common column names. A row with two such names is probably
    /// not personal data.
    private static func commonNames(among columns: [ColumnName], open: [FieldRules]) -> [Suggestion] {
        var search = SuggestionSearch(columns: columns.filter(\.isCommonWord), open: open)
        search.take { column, rules in column.hasMeaning(of: rules) }
        return search.suggestions.count > 1 ? search.suggestions : []
    }
}

/// Finds suggestions. Each suggestion pairs a column that matches no field and a field that has no column.
private struct SuggestionSearch {
    /// The columns, in the header's order.
    private let columns: [ColumnName]
    private var open: [FieldRules]
    /// The names of the fields that were found so far. The key is the position of the column.
    private var found: [Int: String] = [:]

    init(columns: [ColumnName], open: [FieldRules]) {
        self.columns = columns
        self.open = open
    }

    var suggestions: [ColumnMismatch.Suggestion] {
        columns.indices.compactMap { index in
            found[index].map { ColumnMismatch.Suggestion(column: columns[index].header, field: $0) }
        }
    }

    /// Pairs each column with the first suitable field.
    mutating func take(where suits: (ColumnName, FieldRules) -> Bool) {
        for (index, column) in columns.enumerated() where found[index] == nil {
            if let field = open.firstIndex(where: { suits(column, $0) }) { pair(index, field) }
        }
    }

    /// Pairs each misspelled column with the field that has the most similar name. If a column has a known meaning, it
    /// is not misspelled.
    mutating func takeNearest() {
        for (index, column) in columns.enumerated()
        where found[index] == nil && column.meaning == nil && column.secrecy == .none {
            let names = open.enumerated().flatMap { field, rules in
                ([rules.name.text, rules.title] + rules.columns).map { (name: FoldedHeader($0).text, field: field) }
            }
            guard let nearest = FoldedHeader(column.header).text.nearest(in: names.map(\.name)),
                let field = names.first(where: { $0.name == nearest })?.field
            else { continue }
            pair(index, field)
        }
    }

    /// Pairs the primary key with a column that has a typical name of a key, such as `id`, `email` or `member_id`.
    mutating func takeKey() {
        guard let key = open.firstIndex(where: \.isPrimaryKey) else { return }
        let ranks = columns.enumerated().compactMap { index, column in
            found[index] == nil && column.mayBeKey ? column.keyRank.map { (index: index, rank: $0) } : nil
        }
        if let first = ranks.min(by: { $0.rank < $1.rank }) { pair(first.index, key) }
    }

    private mutating func pair(_ column: Int, _ field: Int) {
        let rules = open.remove(at: field)
        found[column] =
            rules.isSecret && columns[column].secrecy == .hash ? ProfileDraft.hashName : rules.name.text
    }
}

extension ColumnName {
    fileprivate func hasMeaning(of rules: FieldRules) -> Bool {
        guard secrecy == .none, let meaning else { return false }
        return meaning.contentType == rules.contentType ?? ColumnName(rules.name.text).meaning?.contentType
    }

    /// Whether the header of the column is a single word that is a common column name.
    fileprivate var isCommonWord: Bool {
        words.count == 1 && meaning != nil && header.utf8.allSatisfy(\.isASCIILetter)
    }
}
