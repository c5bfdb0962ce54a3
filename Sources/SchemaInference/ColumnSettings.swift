internal import ProfileTransfer

/// The options about single columns, by the index of the column.
struct ColumnSettings: Sendable {
    /// The chosen names of fields.
    let names: [Int: String]
    private let loose: Set<Int>
    private let strict: Set<Int>
    private let isStrict: Bool

    /// - Parameters:
    ///   - options: The options.
    ///   - columns: The columns that become fields or are left out with a reason.
    /// - Throws: ``InferenceError/unknownColumn(_:)`` if an option names a column that does not exist.
    init(_ options: InferenceOptions, _ columns: [InferenceColumn]) throws(InferenceError) {
        loose = try columns.indices(named: options.looseColumns)
        strict = try columns.indices(named: options.strictColumns)
        isStrict = options.isStrict
        var names: [Int: String] = [:]
        for (header, name) in options.names.sorted(by: { $0.key < $1.key }) {
            for column in try columns.indices(named: [header]) { names[column] = name }
        }
        self.names = names
    }

    /// Returns how tight the rules of a column are.
    func tightness(of column: Int) -> Tightness {
        loose.contains(column) ? .loose : isStrict || strict.contains(column) ? .strict : .proven
    }
}

/// How tight the rules of a field are.
enum Tightness: Sendable {
    /// Only the type limits the values.
    case loose
    /// Later files will probably satisfy the rules (N10).
    case proven
    /// The rules are as tight as the file allows.
    case strict
}

extension [InferenceColumn] {
    /// Returns the indices of the columns that the headers name.
    ///
    /// - Throws: ``InferenceError/unknownColumn(_:)`` if a header names no column.
    fileprivate func indices(named headers: Set<String>) throws(InferenceError) -> Set<Int> {
        // A choice without names would choose all columns.
        guard !headers.isEmpty else { return [] }
        return Set(try ColumnChoice(headers.sorted()).columns(among: map(\.name.header)))
    }

    /// Leaves out the columns that the headers name.
    ///
    /// - Throws: ``InferenceError/unknownColumn(_:)`` if a header names no column.
    mutating func leaveOut(_ headers: Set<String>) throws(InferenceError) {
        for column in try indices(named: headers) where self[column].omission == nil {
            self[column].omission = .chosen
        }
    }
}
