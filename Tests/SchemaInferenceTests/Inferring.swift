import Platform
import ProfileCore
import ProfileStore
import ProfileTransfer
import SchemaInference
import StoreFixtures
import Testing

/// What is proposed for bytes in a file: the tightest rules, unless `change` says otherwise.
func inferring(
    _ bytes: [UInt8], _ change: (inout InferenceOptions) -> Void = { _ in }
) async throws -> SchemaProposal {
    let file = try unnamedFile(bytes)
    defer { close(file) }
    var options = InferenceOptions()
    options.isStrict = true
    change(&options)
    return try await SchemaInferrer(options: options).run(
        ImportInput(descriptor: file, name: "test.csv", byteCount: UInt64(bytes.count)))
}

func inferring(
    _ text: String, _ change: (inout InferenceOptions) -> Void = { _ in }
) async throws -> SchemaProposal {
    try await inferring(Array(text.utf8), change)
}

/// Infers from a text that can be read again.
func inferring(
    again text: String, _ change: (inout InferenceOptions) -> Void = { _ in }
) async throws -> SchemaProposal {
    var options = InferenceOptions()
    options.isStrict = true
    change(&options)
    return try await SchemaInferrer(options: options).run(ImportInput(bytes: Array(text.utf8), name: "test.csv"))
}

extension SchemaProposal {
    /// What an import by the proposal comes to.
    func validating(_ bytes: [UInt8]) async throws -> ImportReport {
        var options = ImportOptions()
        options.format = .automatic
        adapt(&options)
        let schema = try #require(schema)
        return try await ProfileImporter(schema: schema, today: .latest, options: options).run(bytes)
    }

    /// How many rows it says that no schema could take.
    var refusedRows: Int { refused.reduce(0) { $0 + $1.rows.count } }

    subscript(header: String) -> ColumnProposal? { columns.first { $0.header == header } }

    /// What every column was taken for, by its header.
    var labels: [String: String] {
        Dictionary(columns.map { ($0.header, $0.label) }) { first, _ in first }
    }
}

extension ColumnProposal {
    /// What a person would write beside the column: its type, its way of writing, and what it means.
    var label: String {
        guard let rules else { return "left out" }
        if rules.isSecret { return holdsHashes ? "hash" : "password" }
        var words = rules.isPrimaryKey ? ["key"] : []
        if let mask = rules.mask {
            words += ["mask", mask.pattern]
        } else if !rules.allowedValues.isEmpty {
            words.append("choice")
        } else if let format = rules.stringFormat {
            words.append(format.rawValue)
        } else {
            words.append(rules.type.rawValue)
        }
        if [.date, .dateTime, .time].contains(rules.type) { words += rules.formats.map(\.pattern) }
        if rules.numberFormat != .plain {
            words.append(
                "\(rules.numberFormat.decimalCharacter)\(rules.numberFormat.groupCharacter.map(String.init) ?? "")")
        }
        if let contentType = rules.contentType, contentType != rules.stringFormat?.rawValue {
            words.append(contentType)
        }
        return words.joined(separator: " ")
    }
}

/// The rules of a field of a schema that was proposed for a column of these cells, beside a column `id` of numbers.
func column(
    of cells: [String], named name: String = "x", isStrict: Bool = true
) async throws -> ColumnProposal {
    var text = "id,\(name)\n"
    for (row, cell) in cells.enumerated() { text += "k\(row),\"\(cell)\"\n" }
    let proposal = try await inferring(text) { $0.isStrict = isStrict }
    return try #require(proposal[name])
}
