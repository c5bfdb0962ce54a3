internal import ProfileCore
internal import ProfileTransfer
internal import SchemaInference
internal import TextLayout

// The result of an inference as text for a terminal.

extension SchemaProposal {
    /// The table of columns, which fits a terminal of 80 columns, followed by the doubts about single columns, and notes
    /// about the file as a whole. Each line has a line end.
    var text: String {
        var table = TextTable(["Column", "Taken for", "Values", "Examples"], [.left, .left, .right])
        for column in columns {
            table.add([
                column.shownName, column.takenFor,
                column.isLookedAt ? column.values.grouped : "", column.exampleText,
            ])
        }
        let fit = ColumnFit(table.columns(whole: [2], staying: [1, 2]), within: Self.tableWidth)
        let doubts = columns.flatMap { column in
            column.doubts.map { "\(column.shownName): \($0.text(of: column))" }
        }
        let paragraphs = [doubts, notes].filter { !$0.isEmpty }
        return table.text(fit) + paragraphs.map { "\n" + $0.map { $0 + "\n" }.joined() }.joined()
    }

    private static let tableWidth = 80

    /// The notes about the file, one per line.
    var notes: [String] {
        var notes: [String] = []
        let rows = "\(rows.counted("row"))"
        let isPart = "Only the first \(rows) were looked at; the others may break the rules."
        let isWhole = self.rows == 0 ? "The file has no rows." : "\(rows) in all."
        notes.append(isSample ? isPart : isWhole)
        if let guessedEncoding {
            notes.append("The characters look like \(guessedEncoding); set another encoding with --encoding.")
        }
        notes += warnings.map(\.text)
        if columns.contains(where: \.hasWithheldRules) {
            notes.append("Rules that the next file may break are left out; --strict proposes them.")
        }
        switch key {
        case .column(let header): notes.append("The column \(header.quoted(longest: 64)) identifies a row.")
        case .columns(let headers):
            let names = headers.map { $0.quoted(longest: 64) }.joined(separator: " and ")
            notes.append("The columns \(names) together identify a row.")
        case .rowNumber: notes.append("The row number identifies a row.")
        case .content: notes.append("Each row is identified by a hash of its cells.")
        case nil: break
        }
        for refused in refused {
            let count = refused.rows.count
            notes.append("\(count.grouped) \(refused.reason.text(count)): \(refused.rows.text)")
        }
        return notes
    }

    private var keyJSON: JSONValue {
        switch key {
        case .column(let header): ["column": .string(header)]
        case .columns(let headers): ["columns": .array(headers.map(JSONValue.string))]
        case .rowNumber: ["row_number": true]
        case .content: ["content": true]
        case nil: .null
        }
    }

    /// The whole proposal, including the schema.
    var json: JSONValue {
        [
            "source": .string(source), "rows": .number(rows), "is_sample": .bool(isSample),
            "key": keyJSON,
            "columns": .array(columns.map(\.json)),
            "rejected": .array(
                refused.map {
                    [
                        "reason": .string($0.reason.rawValue), "rows": .number($0.rows.count),
                        "lines": .array($0.rows.lines.map(JSONValue.number)),
                    ]
                }),
            "ignored_columns": .array(ignoredColumns.map(JSONValue.string)),
            "warnings": .array(warnings.map(\.json)),
            "schema": schema?.json ?? .null,
        ]
    }
}

extension SchemaLoosening {
    /// The rules that the file breaks. For each rule, the text contains the first values that break it.
    var text: String {
        var table = TextTable(["field", "issue", "rows", "examples"], [.left, .left, .right])
        for rule in broken {
            let examples = rule.examples.map { issue in
                (issue.value.map { $0.quoted(longest: 24) + " in " } ?? "") + "line \(issue.line)"
            }
            table.add([
                rule.field.text, rule.code.rawValue, rule.count.grouped, examples.joined(separator: ", "),
            ])
        }
        let ofKey = broken.filter(\.isOfKey).map { "\($0.field) \($0.code.rawValue)" }
        let note =
            ofKey.isEmpty
            ? ""
            : "Rules of the key cannot be loosened, so rows that break them are rejected: "
                + ofKey.joined(separator: ", ") + "\n"
        return "The file breaks rules of the store:\n" + table.text + note
    }

    /// Returns the changes from one schema to another, and what they mean for the stored values. If `after` is nil, the
    /// other schema is the loosened schema.
    func changes(from before: ProfileSchema, to after: ProfileSchema? = nil) -> String {
        let changes = SchemaDifference(from: before, to: after ?? schema).text(ofLooserRules: true)
        return ([changes] + keptForms.map(\.text)).joined(separator: "\n")
    }
}

extension SchemaLoosening.KeptForm {
    fileprivate var text: String {
        let example =
            if let written, let stored {
                ": \(stored.visible(upTo: 32)) for \(written.visible(upTo: 32))"
            } else { "" }
        return "Values of \(field) that are stored already stay as the store writes them\(example). "
            + "Further values stay as the file writes them."
    }
}

extension ColumnProposal {
    fileprivate var shownName: String { header.isEmpty ? "(no name)" : header.visible(upTo: 32) }

    /// The type and the rules in a few words.
    fileprivate var takenFor: String {
        let name = rules.map { $0.isSecret || $0.name.text == header ? "" : "\($0.name): " } ?? ""
        return name + kind + (rulesText.isEmpty ? "" : "; " + rulesText.visible(upTo: 48))
    }

    /// The type, with the meaning of the values if it is known.
    var kind: String {
        guard let rules else { return "left out" }
        if rules.isSecret { return holdsHashes ? "password hash" : "password" }
        return (rules.type == .string ? "text" : rules.type.rawValue) + (rules.contentType.map { " (\($0))" } ?? "")
    }

    /// The rules in a few words; empty if there are none.
    var rulesText: String {
        guard let rules else { return "" }
        if rules.isSecret { return rules.isRequired ? "required" : "" }
        return rules.rulesText == "any text" ? "" : rules.rulesText
    }

    /// Whether the values of the column were counted.
    var isLookedAt: Bool {
        ![.noName, .holdsLists, .chosen].contains { doubts.contains(.leftOut($0)) }
    }

    /// Whether the inference left out rules that all values of the file satisfy.
    fileprivate var hasWithheldRules: Bool {
        doubts.contains { if case .withheld = $0 { true } else { false } }
    }

    fileprivate var exampleText: String { examples.map { $0.visible(upTo: 20) }.joined(separator: " · ") }

    fileprivate var json: JSONValue {
        [
            "column": .string(header), "field": rules.map { .string($0.name.text) } ?? .null,
            "type": rules.map { .string($0.type.rawValue) } ?? .null, "values": .number(values),
            "missing": .number(missing), "examples": .array(examples.map(JSONValue.string)),
            "doubts": .array(doubts.map { ["code": .string($0.code), "text": .string($0.text(of: self))] }),
        ]
    }
}

extension ColumnDoubt {
    fileprivate var code: String {
        switch self {
        case .noValues: "no_values"
        case .dayOrMonth: "day_or_month"
        case .fractionOrThousands: "fraction_or_thousands"
        case .mixedUnits: "mixed_units"
        case .nearly: "nearly"
        case .numerals: "numerals"
        case .takenAsMissing: "taken_as_missing"
        case .mayBeMissing: "may_be_missing"
        case .joinedLists: "joined_lists"
        case .renamed: "renamed"
        case .withheld: "rules_left_out"
        case .leftOut: "left_out"
        case .keyByValues: "key_by_values"
        case .keyExceptions: "key_exceptions"
        }
    }

    func text(of column: ColumnProposal) -> String {
        switch self {
        case .noValues: "no values"
        case .dayOrMonth: "dates, but day and month cannot be told apart"
        case .fractionOrThousands: "numbers, but a fraction cannot be told from thousands"
        case .mixedUnits(let units):
            "numbers, but with different units: "
                + units.map { $0.isEmpty ? "none" : $0.quoted(longest: 16) }.joined(separator: ", ")
        case .nearly(let type, let lines):
            "\(type.noun), except \(lines.count.grouped) in \(lines.text)"
                + (type.option(for: column.header).map { " (\($0) rejects these rows)" } ?? "")
        case .numerals(let lines): "not numbers: leading zeros, a plus sign or over 15 digits, as in \(lines.firstText)"
        case .takenAsMissing(let texts, let count):
            "\(texts.map { $0.quoted() }.joined(separator: ", ")) taken as missing, "
                + "\(count.counted("time"))"
        case .mayBeMissing(let text, let count):
            "\(text.quoted()) may mean missing, \(count.counted("time"))"
        case .joinedLists: "lists, whose elements are joined with commas"
        case .renamed(.reserved): "renamed: the name is reserved"
        case .renamed(.indistinct): "renamed: another name differs only by an underscore"
        case .renamed(.unwritable): "renamed: a field's name has only a–z, 0–9 and _"
        case .withheld(let rules, let reason):
            "\(reason.text), so not proposed: \(rules.map(\.text).joined(separator: ", "))"
        case .leftOut(.noName): "the column has no name"
        case .leftOut(.holdsLists): "lists or objects that cannot be one value"
        case .leftOut(.unsupportedHashes): "hashes that cannot be checked here"
        case .leftOut(.someHashes): "some values are password hashes, others are not"
        case .leftOut(.otherSecret): "another column is the password"
        case .leftOut(.chosen): "left out by choice"
        case .keyByValues: "taken for the key: the first column without repeated values"
        case .keyExceptions(let missing, let repeated): Self.rejected(missing.count, repeated.count)
        }
    }

    private static func rejected(_ missing: Int, _ repeated: Int) -> String {
        let rows = [
            missing > 0 ? "\(missing.counted("row")) without a value" : nil,
            repeated > 0 ? "\(repeated.counted("row")) with a repeated value" : nil,
        ].compactMap(\.self)
        return rows.joined(separator: " and ") + (missing + repeated == 1 ? " is rejected" : " are rejected")
    }
}

extension WithheldRule {
    fileprivate var text: String {
        switch self {
        case .required: "required"
        case .unique: "unique"
        case .values(let count): "one of \(count) values"
        case .mask(let mask): "the mask \(mask.visible(upTo: 16))"
        case .length(let length): "length \(length)"
        case .maximumLength: "a length limit"
        case .characters: "a set of characters"
        }
    }
}

extension WithheldRule.Reason {
    fileprivate var text: String {
        switch self {
        case .fewValues: "too few values"
        case .oneValue: "all values are the same"
        case .sortedRows: "the rows are sorted or grouped by this column"
        case .newValues: "new values may follow"
        }
    }
}

extension InferredType {
    /// The option that gives a column this type; nil if the type is a format of text.
    fileprivate func option(for header: String) -> String? {
        let type: FieldType? =
            switch self {
            case .integer: .integer
            case .number: .number
            case .date: .date
            case .dateTime: .dateTime
            case .time: .time
            case .email, .uri, .uuid: nil
            }
        return type.map { "--type \("\(header)=\($0.rawValue)".visible.quotedForShell)" }
    }

    fileprivate var noun: String {
        switch self {
        case .integer: "integers"
        case .number: "numbers"
        case .date: "dates"
        case .dateTime: "dates with times"
        case .time: "times"
        case .email: "e-mail addresses"
        case .uri: "URIs"
        case .uuid: "UUIDs"
        }
    }
}

extension RowRefusal {
    /// The words that follow the number of rows in a message.
    fileprivate func text(_ count: Int) -> String {
        let rows = count == 1 ? "row" : "rows"
        return switch self {
        case .cellCount: "\(rows) with more or fewer cells than columns"
        case .badEncoding: "\(rows) with bytes that are not text"
        case .unclosedQuote: "\(rows) with a quote that is not closed"
        case .textAfterQuote: "\(rows) with text behind a closing quote"
        case .nul: "\(rows) with a NUL"
        case .tooLong: "\(rows) too long to read"
        case .headerAgain: "\(rows) that repeat\(count == 1 ? "s" : "") the header"
        case .notAnObject where count == 1: "element that is not an object of texts, numbers and booleans"
        case .notAnObject: "elements that are not objects of texts, numbers and booleans"
        case .notJSON where count == 1: "element that is not valid JSON"
        case .notJSON: "elements that are not valid JSON"
        case .repeatedMember where count == 1: "object with two members of one name"
        case .repeatedMember: "objects with two members of one name"
        case .controlCharacter: "\(rows) with a control character"
        case .unsupportedHash: "\(rows) with a hash that cannot be checked"
        case .unfitValue: "\(rows) with a value that does not fit the --type of its column"
        case .noKey: "\(rows) without a key"
        case .repeatedKey: "\(rows) with the key of an earlier row (upper and lower case count as equal)"
        }
    }
}

extension CountedLines {
    fileprivate var firstText: String { lines.first.map { "line \($0)" } ?? "some" }

    /// The lines as text: `line 3`, or `lines 3, 5, 8 and 4 more`.
    fileprivate var text: String {
        let shown = lines.map(String.init)
        guard let first = shown.first else { return "some lines" }
        if count == 1 { return "line \(first)" }
        let more = count - shown.count
        return "lines " + shown.joined(separator: ", ") + (more > 0 ? " and \(more.grouped) more" : "")
    }
}
