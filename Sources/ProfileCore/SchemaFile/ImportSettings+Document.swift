extension ImportSettings {
    /// The settings as JSON; nil if all of them have their default values.
    package var document: JSONValue? {
        var members: [JSONMember] = []
        switch key {
        case .column: break
        case .columns(let headers): members.append(JSONMember("key", .array(headers.map { .string($0) })))
        case .rowNumber: members.append(JSONMember("key", .string(Self.rowNumber)))
        case .content: members.append(JSONMember("key", .string(Self.content)))
        }
        if !contentFields.isEmpty {
            members.append(JSONMember("contentFields", .array(contentFields.map { .string($0) })))
        }
        if let encoding { members.append(JSONMember("encoding", .string(encoding))) }
        if let delimiter { members.append(JSONMember("delimiter", .string(Self.text(delimiter)))) }
        if !layout.hasHeader { members.append(JSONMember("header", false)) }
        if layout.skippedLines > 0 { members.append(JSONMember("skip", .number(layout.skippedLines))) }
        if let line = layout.headerLine { members.append(JSONMember("headerLine", .number(line))) }
        if let comment = layout.comment { members.append(JSONMember("comment", .string(Self.text(comment)))) }
        if layout.padsShortRows { members.append(JSONMember("pad", true)) }
        if let sheet = layout.sheet { members.append(JSONMember("sheet", .string(sheet))) }
        if !ignoredColumns.isEmpty {
            members.append(JSONMember("ignoredColumns", .array(ignoredColumns.map { .string($0) })))
        }
        return members.isEmpty ? nil : .object(members)
    }

    /// Reads the object `profiles` of a schema. If a member is wrong, reports an error and ignores the member.
    init(_ object: SchemaObject) {
        object.allowOnly([
            "key", "contentFields", "encoding", "delimiter", "header", "skip", "headerLine", "comment", "pad", "sheet",
            "ignoredColumns",
        ])
        readKey(object)
        contentFields = Self.texts("contentFields", of: object)
        encoding = object.text("encoding")
        delimiter = Self.character("delimiter", of: object)
        layout.hasHeader = object.boolean("header") ?? true
        layout.skippedLines = object.count("skip", in: 0...TableLayout.mostLines) ?? 0
        layout.headerLine = object.count("headerLine", in: 1...TableLayout.mostLines)
        layout.comment = Self.character("comment", of: object)
        layout.padsShortRows = object.boolean("pad") ?? false
        layout.sheet = object.text("sheet")
        ignoredColumns = Self.texts("ignoredColumns", of: object)
    }

    private mutating func readKey(_ object: SchemaObject) {
        switch object["key"] {
        case nil: break
        case .array?:
            let headers = Self.texts("key", of: object, atMost: Self.mostKeyColumns)
            if !headers.isEmpty { key = .columns(headers) }
        case .string(Self.rowNumber)?: key = .rowNumber
        case .string(Self.content)?: key = .content
        case .string(let text)?:
            object.report("key", .unknownChoice(text, known: [Self.rowNumber, Self.content]))
        case let value?: object.report("key", .wrongType(value.kind, expected: .string))
        }
    }

    private static let rowNumber = "row"
    private static let content = "content"
    private static let mostKeyColumns = 16
    private static let mostColumns = 10_000

    private static func texts(_ name: String, of object: SchemaObject, atMost most: Int = mostColumns) -> [String] {
        guard object[name] != nil, let list = object.array(name, atMost: most) else { return [] }
        return list.compactMap { SchemaObject.text($0, $1, object.errors) }
    }

    /// Reads one ASCII character that is neither a quote nor part of a line end.
    private static func character(_ name: String, of object: SchemaObject) -> UInt8? {
        guard let text = object.string(name) else { return nil }
        let byte = text.utf8.first ?? 0
        guard text.utf8.count == 1, byte == UInt8(ascii: "\t") || 0x20..<0x7F ~= byte, byte != UInt8(ascii: "\"")
        else {
            object.report(name, .malformed(text, .delimiter))
            return nil
        }
        return byte
    }

    private static func text(_ byte: UInt8) -> String { String(Unicode.Scalar(byte)) }
}
