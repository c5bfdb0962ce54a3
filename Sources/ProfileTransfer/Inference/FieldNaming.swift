internal import ProfileCore

/// Gives fields names that a schema takes, each once, for the names of columns.
struct FieldNaming {
    /// What is taken, as an import matches names (I2).
    private var taken: Set<String>

    /// Names in the order in which they are asked for; `password` and `username` are kept for the fields that are these.
    init() { taken = ["username", "password", "passwordhash"] }

    /// A name for the field of a column.
    ///
    /// - Parameters:
    ///   - column: The column's name.
    ///   - position: The column's, from 0, for one whose name has nothing that a field's may have.
    /// - Returns: The name, and why it is another one.
    mutating func name(for column: ColumnName, at position: Int) -> (name: String, reason: ColumnDoubt.RenamingReason?)
    {
        var name = Self.shortened(column.words.joined(separator: "_"))
        var reason: ColumnDoubt.RenamingReason?
        if name.isEmpty {
            (name, reason) = ("column_\(position + 1)", .unwritable)
        } else if FieldName(name) == nil {
            (name, reason) = (Self.shortened("column_\(name)"), .unwritable)
        } else if FieldName.reserved.contains(name) || Self.kept.contains(Self.folded(name)) {
            (name, reason) = (Self.shortened("source_\(name)"), .reserved)
        }
        var number = 2
        let plain = name
        while taken.contains(Self.folded(name)) {
            (name, reason) = ("\(plain)_\(number)", .indistinct)
            number += 1
        }
        taken.insert(Self.folded(name))
        return (name, reason)
    }

    private static let kept: Set = ["username", "password", "passwordhash"]

    /// With room for a number.
    private static func shortened(_ name: String) -> String {
        String(name.prefix(FieldName.longestLength - 5))
    }

    private static func folded(_ name: String) -> String { name.filter { $0 != "_" } }
}
