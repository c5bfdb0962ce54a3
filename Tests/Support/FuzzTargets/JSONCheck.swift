internal import CSVStream
internal import ProfileCore
internal import ProfileTransfer

/// Imports JSON, one object per line or the elements of one array, and compares each object with what
/// ``ReferenceJSON`` reads.
struct JSONCheck {
    private var choices: ImportChoices
    private let bytes: [UInt8]
    /// Whether a schema is inferred from the file as well.
    private let isInferred: Bool

    init(_ input: [UInt8]) {
        var first = Choices(input)
        let dialect = first.byte()
        choices = ImportChoices(&first)
        choices.options.format = dialect & 1 == 0 ? .json : .automatic
        choices.options.encoding = dialect & 0xE0 == 0xE0 ? "windows-1252" : nil
        isInferred = dialect & 0xE0 == 0x60
        bytes = first.rest
        choices.limitHashing(of: bytes)
    }

    func run() async throws {
        try await ImportCheck(choices: choices, bytes: bytes).run(reading: rows) { error in
            switch error {
            case .looksLike, .damagedCompression, .ended(.damagedCompression, _): true
            // These come from a file that is not recognized as JSON.
            case .noHeader, .unreadableHeader, .columnTwice, .columnMismatch, .otherDelimiter, .mappedColumnMissing,
                .ignoredColumnMissing:
                choices.options.format == .automatic
            default: false
            }
        }
        if isInferred { try await InferenceCheck(bytes: bytes, options: choices.options).run() }
    }

    private func rows(_ report: ImportReport) throws -> [ReferenceRow]? {
        guard report.format == .json, !bytes.starts(with: [0x1F, 0x8B]) else { return nil }
        let isGuessed = report.warnings.contains {
            if case .guessedEncoding(let name) = $0 { name == "windows-1252" } else { false }
        }
        let isWindows1252 = isGuessed || choices.options.encoding == "windows-1252"
        guard let text = ReferenceText.utf8(bytes, isWindows1252: isWindows1252) else { return nil }
        let isArray = text.first { ![0x20, 0x09, 0x0A, 0x0D].contains($0) } == UInt8(ascii: "[")
        // The reference does not say how many elements a broken array has.
        return isArray ? elements(of: text) : lines(of: text)
    }

    private func elements(of text: [UInt8]) -> [ReferenceRow]? {
        guard let elements = ReferenceJSON.elements(of: text) else { return nil }
        return elements.enumerated().map { index, element in
            let line = text[..<element.position].count { $0 == 0x0A } + 1
            return row(element.value, line: line, number: index + 1)
        }
    }

    private func lines(of text: [UInt8]) -> [ReferenceRow] {
        var rows: [ReferenceRow] = []
        let lines = text.split(separator: 0x0A, omittingEmptySubsequences: false)
        for (index, line) in lines.enumerated() where !ReferenceStore.trimmed(Array(line)).isEmpty {
            rows.append(row(ReferenceJSON(Array(line)), line: index + 1, number: rows.count + 1))
        }
        return rows
    }

    private func row(_ value: ReferenceJSON?, line: Int, number: Int) -> ReferenceRow {
        var row = ReferenceRow(line: line, number: number)
        guard case .object(let members)? = value else { return row }
        var cells: [String: String] = [:]
        take(members, within: "", &cells, &row)
        if choices.options.key == .rowNumber, cells["username"] == nil { cells["username"] = "\(number)" }
        row.cells = cells
        return row
    }

    /// Adds the members of an object to `cells`. The name of a member of a nested object is prefixed with the name of
    /// the nested object.
    private func take(
        _ members: [(name: String, value: ReferenceJSON)], within prefix: String, _ cells: inout [String: String],
        _ row: inout ReferenceRow
    ) {
        let uses = ColumnUses(choices.schema, choices.options)
        for (member, value) in members {
            let name = prefix + member
            if ["_line", "_issues"].contains(name) { continue }
            let use = uses.use(of: String(decoding: ReferenceStore.trimmed(Array(name.utf8)), as: UTF8.self))
            if case .object(let nested) = value, use == .unknown, name.utf8.count <= 1_000 {
                take(nested, within: name + ".", &cells, &row)
                continue
            }
            switch use {
            case .field, .hash:
                var field = ProfileDraft.hashName
                if case .field(let index) = use { field = choices.schema.fields[index].name.text }
                let isSecret = field == "password" || field == ProfileDraft.hashName
                guard let text = text(of: value) ?? (isSecret ? nil : joined(value)), !text.utf8.contains(0) else {
                    row.codes.append("bad_row")
                    continue
                }
                if cells.updateValue(text, forKey: field) != nil {
                    row.codes.append("bad_row")
                }
            case .unknown: if !choices.options.ignoresUnknownColumns { row.codes.append("unknown_field") }
            case .ignored: break
            }
        }
    }

    /// Returns the elements of a list of scalars in one text; nil for any other value.
    private func joined(_ value: ReferenceJSON) -> String? {
        guard case .array(let elements) = value else { return nil }
        var text = ""
        for element in elements {
            if case .null = element { continue }
            guard let scalar = self.text(of: element) else { return nil }
            let bytes = Array(scalar.utf8)
            let needsQuotes =
                bytes.isEmpty || ReferenceStore.trimmed(bytes) != bytes
                || bytes.contains { [0x2C, 0x22, 0x0A, 0x0D].contains($0) }
            if !text.isEmpty { text += ", " }
            text += needsQuotes ? "\"" + scalar.replacing("\"", with: "\"\"") + "\"" : scalar
        }
        return text
    }

    /// Returns the text that the store keeps if the schema allows it; nil for an array or an object.
    private func text(of value: ReferenceJSON) -> String? {
        switch value {
        case .null: ""
        case .bool(let flag): flag ? "true" : "false"
        case .number(let text), .string(let text): text
        case .array, .object: nil
        }
    }
}
