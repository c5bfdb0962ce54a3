internal import ProfileCore
internal import ProfileTransfer

/// Chooses the names of the fields that columns become. The names are unique and valid in a schema.
///
/// A column whose name is a valid field name keeps this name. These columns are named before the others. So no other
/// field gets a name that an import would match with one of these columns (I2).
struct FieldNaming {
    /// The field names by the position of the column, with the reason if the name differs from the column's name.
    private(set) var names: [Int: (name: String, reason: ColumnDoubt.RenamingReason?)] = [:]
    /// The name for a field of computed keys.
    private(set) var computedKey = FieldName.username.text
    /// The names already used, in the folded form in which an import compares names.
    private var taken = Self.kept
    /// All headers of the file. No header may match the field of another column.
    private let headers: Set<String>

    /// - Parameters:
    ///   - columns: The columns that become fields, without passwords and hashes.
    ///   - chosen: The names that the options choose, by the position of the column.
    ///   - key: The position of the key column; nil if there is none.
    ///   - headers: The headers of all columns.
    /// - Throws: ``InferenceError/unusableName(_:column:_:)`` for a chosen name.
    init(
        of columns: [(position: Int, name: ColumnName)], chosen: [Int: String], key: Int?, headers: Set<String>
    ) throws(InferenceError) {
        self.headers = headers
        for (position, column) in columns {
            guard let name = chosen[position] else { continue }
            if let problem = take(name, for: column, isKey: position == key) {
                throw .unusableName(name, column: column.header, problem)
            }
            names[position] = (name, nil)
        }
        for (position, column) in columns where names[position] == nil && Self.isName(column.header) {
            if taken.insert(FoldedHeader(column.header)).inserted { names[position] = (column.header, nil) }
        }
        for (position, column) in columns where names[position] == nil {
            names[position] = name(for: column, at: position, isKey: position == key)
        }
        if key == nil, headers.contains(computedKey) { computedKey = free("row", beside: nil) }
    }

    /// Reserves a chosen name for the field of a column.
    ///
    /// - Returns: The reason why the field cannot have this name; nil if it can.
    private mutating func take(_ name: String, for column: ColumnName, isKey: Bool) -> NameProblem? {
        guard FieldName(name) != nil else { return .malformed }
        let folded = FoldedHeader(name)
        let isTaken = headers.contains { $0 != column.header && FoldedHeader($0) == folded }
        if isKey, name == FieldName.username.text { return isTaken ? .taken : nil }
        guard !FieldName.reserved.contains(name), !Self.kept.contains(folded) else { return .reserved }
        return isTaken || !taken.insert(folded).inserted ? .taken : nil
    }

    /// Names that are reserved for the fields `username` and `password`, and for password hashes.
    private static let kept: Set = Set(
        [FieldName.username.text, FieldName.password.text, ProfileDraft.hashName].map(FoldedHeader.init))

    /// Returns whether a column's name can be used unchanged as a field name.
    private static func isName(_ header: String) -> Bool {
        FieldName(header) != nil && !FieldName.reserved.contains(header) && !kept.contains(FoldedHeader(header))
    }

    /// - Parameters:
    ///   - column: The column's name.
    ///   - position: The column's position, from 0. The field is named after the position if the column's name has no
    ///     usable characters.
    ///   - isKey: Whether the column is the key.
    /// - Returns: The name, with the reason if it differs from the column's name.
    private mutating func name(
        for column: ColumnName, at position: Int, isKey: Bool
    ) -> (name: String, reason: ColumnDoubt.RenamingReason?) {
        var name = Self.shortened(column.words.joined(separator: "_"))
        var reason: ColumnDoubt.RenamingReason?
        if name.isEmpty {
            (name, reason) = ("column_\(position + 1)", .unwritable)
        } else if FieldName(name) == nil {
            (name, reason) = (Self.shortened("column_\(name)"), .unwritable)
        } else if FieldName.reserved.contains(name) || Self.kept.contains(FoldedHeader(name)) {
            (name, reason) = (Self.shortened("source_\(name)"), .reserved)
        }
        let free = free(name, beside: column.header)
        if free != name { (name, reason) = (free, .indistinct) }
        // The key is stored as `username`. If the key cannot keep its own name, the field is named `username`, unless
        // another column has this name.
        let username = FieldName.username.text
        if isKey, reason != nil, column.header == username || !headers.contains(username) {
            let isOwn = FoldedHeader(column.header) == FoldedHeader(username)
            (name, reason) = (username, isOwn ? nil : reason)
        }
        return (name, reason)
    }

    /// Returns a name that no other field has and that matches no other column in an import. It appends a number if
    /// necessary.
    private mutating func free(_ plain: String, beside header: String?) -> String {
        var name = plain
        var number = 2
        while name != header && headers.contains(name) || !taken.insert(FoldedHeader(name)).inserted {
            name = "\(plain)_\(number)"
            number += 1
        }
        return name
    }

    /// Shortens a name to make room for a number.
    private static func shortened(_ name: String) -> String {
        String(name.prefix(FieldName.longestLength - 5))
    }
}
