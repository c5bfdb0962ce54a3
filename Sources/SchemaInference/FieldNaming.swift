internal import ProfileCore
internal import ProfileTransfer

/// Gives fields names that a schema takes, each once, for the names of columns.
///
/// A column that is called as a field can be keeps its name, before any other is given one: what a file calls so means that
/// column, to an import as well (I2).
struct FieldNaming {
    /// By the position of the column, and why it is another name than the column's.
    private(set) var names: [Int: (name: String, reason: ColumnDoubt.RenamingReason?)] = [:]
    /// For a field of row numbers.
    private(set) var rowNumber = FieldName.username.text
    /// What is taken, as an import matches names.
    private var taken = Self.kept
    /// All headers of the file, none of which may mean another column's field.
    private let headers: Set<String>

    /// - Parameters:
    ///   - columns: Those that become fields, but for passwords and hashes.
    ///   - key: The position of the key's.
    ///   - headers: Of all columns.
    init(of columns: [(position: Int, name: ColumnName)], key: Int?, headers: Set<String>) {
        self.headers = headers
        for (position, column) in columns where Self.isName(column.header) {
            if taken.insert(FoldedHeader(column.header)).inserted { names[position] = (column.header, nil) }
        }
        for (position, column) in columns where names[position] == nil {
            names[position] = name(for: column, at: position, isKey: position == key)
        }
        if key == nil, headers.contains(rowNumber) { rowNumber = free("row", beside: nil) }
    }

    /// `username` and `password` are kept for the fields that are these.
    private static let kept: Set = Set(
        [FieldName.username.text, FieldName.password.text, ProfileDraft.hashName].map(FoldedHeader.init))

    /// Whether a schema takes a column's name as it is.
    private static func isName(_ header: String) -> Bool {
        FieldName(header) != nil && !FieldName.reserved.contains(header) && !kept.contains(FoldedHeader(header))
    }

    /// - Parameters:
    ///   - column: The column's name.
    ///   - position: The column's, from 0, for one whose name has nothing that a field's may have.
    ///   - isKey: Whether it is the key's.
    /// - Returns: The name, and why it is another one.
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
        // The key is stored as `username`: where its own name cannot be had that one serves, unless it is another column's.
        let username = FieldName.username.text
        if isKey, reason != nil, column.header == username || !headers.contains(username) {
            let isOwn = FoldedHeader(column.header) == FoldedHeader(username)
            (name, reason) = (username, isOwn ? nil : reason)
        }
        return (name, reason)
    }

    /// A name that no other field has, with a number if need be, and by which an import finds no other column than this.
    private mutating func free(_ plain: String, beside header: String?) -> String {
        var name = plain
        var number = 2
        while name != header && headers.contains(name) || !taken.insert(FoldedHeader(name)).inserted {
            name = "\(plain)_\(number)"
            number += 1
        }
        return name
    }

    /// With room for a number.
    private static func shortened(_ name: String) -> String {
        String(name.prefix(FieldName.longestLength - 5))
    }
}
