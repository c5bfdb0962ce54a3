internal import ProfileCore
internal import ProfileTransfer

/// A column of the examined input.
struct InferenceColumn: Sendable {
    let name: ColumnName
    /// The index of the column's cell in a record.
    let position: Int
    /// The type that the options choose for the column; nil if they choose none.
    let type: FieldType?
    /// The reason why the column's values are ignored and the column does not become a field; nil if the values are
    /// examined.
    var omission: ColumnDoubt.OmissionReason?
    /// Whether some values are JSON lists whose elements were joined.
    var holdsJoinedLists = false

    /// - Parameters:
    ///   - header: The header of the column.
    ///   - position: The index of the column's cell in a record.
    ///   - types: The chosen types of columns by their headers.
    init(_ header: String, at position: Int, types: [String: FieldType]) {
        name = ColumnName(header)
        self.position = position
        type = Self.type(of: name.header, among: types)
        omission = Self.isName(name.header) ? nil : .noName
    }

    private static func type(of header: String, among types: [String: FieldType]) -> FieldType? {
        guard !types.isEmpty else { return nil }
        if let type = types[header] { return type }
        let folded = FoldedHeader(header)
        return types.filter { FoldedHeader($0.key) == folded }.min { $0.key < $1.key }?.value
    }

    /// Whether the column's name says that it holds passwords or hashes, which must not be shown.
    var isSecret: Bool { name.secrecy == .password || name.secrecy == .hash }

    var mayBeKey: Bool { omission == nil && name.mayBeKey }

    /// Returns whether a schema can keep this header: it is not empty after folding, and not longer than
    /// ``longestName``.
    static func isName(_ header: String) -> Bool {
        header.utf8.count <= longestName && !FoldedHeader(header).isEmpty
    }

    /// The maximum length of a header in bytes.
    static let longestName = ColumnName.longestLength
}

/// The columns that the options choose as fields, by their headers.
struct ColumnChoice: Sendable {
    private let wanted: [String]
    private let folded: Set<FoldedHeader>

    /// - Parameter headers: The chosen headers; empty for all columns.
    init(_ headers: [String]) {
        wanted = headers.map(\.trimmed)
        folded = Set(wanted.map(FoldedHeader.init))
    }

    var isOfAll: Bool { wanted.isEmpty }

    /// Returns whether the choice names a column with this header.
    func isNamed(_ header: String) -> Bool { folded.contains(FoldedHeader(header)) }

    /// Returns whether a column with this header may be one of the chosen columns.
    func mayMean(_ header: String) -> Bool { isOfAll || isNamed(header) }

    /// Returns the positions of the chosen columns among all headers. The headers must be trimmed. A chosen name stands
    /// for the columns with exactly this header. If there is no such column, it stands for the columns that an import
    /// matches with the name (I2).
    func columns(among headers: [String]) throws(InferenceError) -> [Int] {
        guard !isOfAll else { return Array(headers.indices) }
        var chosen: Set<Int> = []
        for name in wanted {
            var found = headers.indices.filter { headers[$0] == name }
            if found.isEmpty {
                let folded = FoldedHeader(name)
                found = headers.indices.filter { FoldedHeader(headers[$0]) == folded }
            }
            guard !found.isEmpty else { throw .unknownColumn(name) }
            chosen.formUnion(found)
        }
        return chosen.sorted()
    }
}

extension ColumnChoice {
    /// Returns the position of the column that a name stands for: the first one with exactly this header, or else the
    /// first one that an import matches with the name.
    static func position(of name: String, among headers: [String]) -> Int? {
        let name = name.trimmed
        return headers.firstIndex(of: name) ?? headers.firstIndex { FoldedHeader($0) == FoldedHeader(name) }
    }
}

extension [InferenceColumn] {
    /// Throws if there are more columns than a schema can have fields, or if two columns have the same header.
    func requireFields() throws(InferenceError) {
        var headers: Set<String> = []
        let fields = filter { $0.omission == nil }
        for column in fields where !headers.insert(column.name.header).inserted {
            throw .repeatedHeader(column.name.header)
        }
        guard fields.count <= ProfileSchema.mostFields else {
            throw .tooManyColumns(fields.count, most: ProfileSchema.mostFields)
        }
    }
}
