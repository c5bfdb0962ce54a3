internal import ProfileCore
internal import TextLayout

/// What does not fit between the columns of an input and the fields of a schema (I2).
public struct ColumnMismatch: Hashable, Sendable {
    /// A column that is no field, and the field without a column that it may be meant for.
    public struct Suggestion: Hashable, Sendable {
        /// As it stands in the header, without the white space around it.
        public let column: String
        /// The field's name, or `password_hash`.
        public let field: String
    }

    /// Columns that are no field, in the header's order. Empty where they are to be passed over, and where the first row
    /// may be data.
    public let unknownColumns: [String]
    /// Required fields without a column, in the schema's order. Empty where the input may lack them.
    public let missingFields: [String]
    /// All fields of the schema, in its order.
    public let fields: [String]
    /// In the header's order, each column and each field once.
    public let suggestions: [Suggestion]
    /// Whether no column is a field, as when the first row is no header but data.
    ///
    /// It may be a person's then, and nothing of it is here (P12) but names of columns that everybody uses.
    public let mayBeData: Bool
    /// The line further down that looks like the header, since it names fields; nil where none of the first ones does.
    public internal(set) var headerLine: Int?

    /// Looks for the fields that unknown columns may be meant for.
    ///
    /// - Parameters:
    ///   - unknown: The positions of columns that are no field.
    ///   - header: The names of all columns.
    ///   - missing: Required fields without a column.
    ///   - open: All fields that a column could be mapped to, since they have none.
    ///   - schema: Whose fields they are.
    ///   - mayBeData: Whether no column is a field.
    ///   - stopsAtUnknown: Whether an unknown column is a fault.
    init(
        unknown: [Int], of header: [String], missing: [FieldRules], open: [FieldRules], schema: ProfileSchema,
        mayBeData: Bool, stopsAtUnknown: Bool
    ) {
        unknownColumns = stopsAtUnknown && !mayBeData ? unknown.map { Self.name(of: $0, in: header) } : []
        missingFields = missing.map(\.name.text)
        fields = schema.fields.map(\.name.text)
        let candidates = unknown.prefix(Self.mostCandidates).map { ColumnName(header[$0]) }
        suggestions =
            mayBeData ? Self.commonNames(among: candidates, open: open) : Self.suggestions(for: candidates, open: open)
        self.mayBeData = mayBeData
    }

    /// A schema has no more fields, and every one of them is compared.
    private static let mostCandidates = 100

    private static func name(of column: Int, in header: [String]) -> String {
        let title = header[column].trimmed
        return title.isEmpty ? "column \(column + 1), which has no name" : title
    }

    // MARK: Suggestions

    private static func suggestions(for columns: [ColumnName], open: [FieldRules]) -> [Suggestion] {
        // A map finds a column by its name.
        let counts = Dictionary(columns.map { ($0.header, 1) }, uniquingKeysWith: +)
        let columns = columns.filter { counts[$0.header] == 1 && !$0.header.isEmpty }
        var search = SuggestionSearch(columns: columns, open: open)
        // What says the most comes first.
        search.take { column, rules in FoldedHeader(rules.title) == FoldedHeader(column.header) }
        search.take { column, rules in rules.isSecret && [.password, .hash].contains(column.secrecy) }
        search.take { column, rules in column.hasMeaning(of: rules) }
        search.takeNearest()
        search.takeKey()
        return search.suggestions
    }

    /// Only what a person's row hardly has: two cells or more that are nothing but common names of columns.
    private static func commonNames(among columns: [ColumnName], open: [FieldRules]) -> [Suggestion] {
        var search = SuggestionSearch(columns: columns.filter(\.isCommonWord), open: open)
        search.take { column, rules in column.hasMeaning(of: rules) }
        return search.suggestions.count > 1 ? search.suggestions : []
    }
}

/// Columns and fields that have not found each other yet.
private struct SuggestionSearch {
    /// In the header's order.
    private let columns: [ColumnName]
    private var open: [FieldRules]
    /// By the column's position.
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

    /// Gives each column the first field that suits it.
    mutating func take(where suits: (ColumnName, FieldRules) -> Bool) {
        for (index, column) in columns.enumerated() where found[index] == nil {
            if let field = open.firstIndex(where: { suits(column, $0) }) { pair(index, field) }
        }
    }

    /// A mistyped name is near another one; one whose meaning is known is not mistyped.
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

    /// Some names speak for a key: `id`, `email`, `member_id`.
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

    /// Whether the whole header is one of the words by which columns are known.
    fileprivate var isCommonWord: Bool {
        words.count == 1 && meaning != nil && header.utf8.allSatisfy(\.isASCIILetter)
    }
}
