internal import ProfileCore
internal import SQLiteAccess

/// The functions and collations that searches need and SQLite does not have. With these functions and collations, a
/// search gives the same results on every engine.
enum SearchFunctions {
    /// Returns whether at least one of the given columns contains a folded text.
    static let contains = TextFunction("profiles_contains") { folded in
        let text = folded.text
        return { text.isContained(in: $0) ? 1 : 0 }
    }

    /// Searches the given columns for a folded text, and returns the quality of the best match. Returns 0 if no column
    /// contains the text.
    static let match = TextFunction("profiles_match", greatest: TextMatch.whole.rawValue) { folded in
        let text = folded.text
        return { text.match(in: $0)?.rawValue ?? 0 }
    }

    /// Returns whether the text in a column is a valid value of a field type.
    static let holds = TextFunction("profiles_holds") { type in
        guard let type = FieldType(rawValue: String(type)) else { return { _ in 0 } }
        return { type.holds($0) ? 1 : 0 }
    }

    static let number = TextCollation("profiles_number") { ValueOrder.number.compare($0, $1) }

    static let moment = TextCollation("profiles_moment") { ValueOrder.moment.compare($0, $1) }

    /// Defines the functions and collations on a connection.
    static func define(on connection: borrowing Connection) throws(SQLiteError) {
        try connection.define(contains)
        try connection.define(match)
        try connection.define(holds)
        try connection.define(number)
        try connection.define(moment)
    }
}

extension Span<UInt8> {
    fileprivate var text: FoldedText { FoldedText(folded: withUnsafeBufferPointer { Array($0) }) }
}
