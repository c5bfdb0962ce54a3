internal import ProfileCore
internal import SQLiteAccess

/// What searches ask of values that SQL has no word for, so that every engine answers the same.
enum SearchFunctions {
    /// Whether one of some columns contains a text, folded.
    static let contains = TextPredicate("profiles_contains") { folded in
        let text = FoldedText(folded: folded.withUnsafeBufferPointer { Array($0) })
        return { text.isContained(in: $0) }
    }

    /// Whether a column holds a value of a type.
    static let holds = TextPredicate("profiles_holds") { type in
        guard let type = FieldType(rawValue: String(type)) else { return { _ in false } }
        return { type.holds($0) }
    }

    static let number = TextCollation("profiles_number") { ValueOrder.number.compare($0, $1) }

    static let moment = TextCollation("profiles_moment") { ValueOrder.moment.compare($0, $1) }

    /// Gives them to a connection.
    static func define(on connection: borrowing Connection) throws(SQLiteError) {
        try connection.define(contains)
        try connection.define(holds)
        try connection.define(number)
        try connection.define(moment)
    }
}
