internal import ProfileCore
internal import ProfileTransfer

/// A column of an input that was asked for.
struct InferenceColumn: Sendable {
    let name: ColumnName
    /// Its cell's place in a record.
    let position: Int
    /// Why its values are not looked at, and it becomes no field; nil for one that is looked at.
    var omission: ColumnDoubt.OmissionReason?

    init(_ header: String, at position: Int) {
        name = ColumnName(header)
        self.position = position
        omission = Self.isName(name.header) ? nil : .noName
    }

    /// Whether its cells may hold what nobody must see.
    var isSecret: Bool { name.secrecy == .password || name.secrecy == .hash }

    var mayBeKey: Bool { omission == nil && name.mayBeKey }

    /// Whether a schema can keep such a header: it says something, and that is no more than a header may be.
    static func isName(_ header: String) -> Bool {
        header.utf8.count <= longestName && !FoldedHeader(header).isEmpty
    }

    /// In bytes.
    static let longestName = 1_000
}

/// The columns that are to become fields, as somebody has named them.
struct ColumnChoice: Sendable {
    private let wanted: [String]
    private let folded: Set<FoldedHeader>

    /// - Parameter headers: Empty for all columns.
    init(_ headers: [String]) {
        wanted = headers.map(\.trimmed)
        folded = Set(wanted.map(FoldedHeader.init))
    }

    var isOfAll: Bool { wanted.isEmpty }

    /// Whether a column may be one of them, as far as its own name says.
    func mayMean(_ header: String) -> Bool { isOfAll || folded.contains(FoldedHeader(header)) }

    /// The positions of the columns among all headers, these without the white space around them: for each name the one that
    /// is written so, else those that an import takes for the same (I2).
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

extension [InferenceColumn] {
    /// Refuses more columns than a schema has fields, and two of one name.
    func requireFields() throws(InferenceError) {
        var headers: Set<String> = []
        let fields = filter { $0.omission == nil }
        for column in fields where !headers.insert(column.name.header).inserted {
            throw .input(.columnTwice(column.name.header))
        }
        guard fields.count <= ProfileSchema.mostFields else {
            throw .tooManyColumns(fields.count, most: ProfileSchema.mostFields)
        }
    }
}
