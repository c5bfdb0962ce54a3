internal import ProfileCore
internal import SQLiteAccess

/// What searches ask of values that SQL has no word for, so that every engine answers the same.
enum SearchFunctions {
    /// Whether one of some columns contains a text, folded.
    static let contains = TextFunction("profiles_contains") { folded in
        let text = folded.text
        return { text.isContained(in: $0) ? 1 : 0 }
    }

    /// How well a text, folded, matches the one of some columns that it matches best; 0 where it is in none.
    static let match = TextFunction("profiles_match", greatest: TextMatch.whole.rawValue) { folded in
        let text = folded.text
        return { text.match(in: $0)?.rawValue ?? 0 }
    }

    /// Whether a column holds a value of a type.
    static let holds = TextFunction("profiles_holds") { type in
        guard let type = FieldType(rawValue: String(type)) else { return { _ in 0 } }
        return { type.holds($0) ? 1 : 0 }
    }

    static let number = TextCollation("profiles_number") { ValueOrder.number.compare($0, $1) }

    static let moment = TextCollation("profiles_moment") { ValueOrder.moment.compare($0, $1) }

    /// Gives them to a connection.
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
