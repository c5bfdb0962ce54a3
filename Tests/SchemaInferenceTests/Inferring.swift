import Platform
import ProfileCore
import ProfileStore
import ProfileTransfer
import SchemaInference
import StoreFixtures
import Testing

/// The proposal for a file with these bytes, with the tightest rules unless `change` sets other options.
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
    /// Imports the bytes by the proposal without a store, and returns the report.
    func validating(_ bytes: [UInt8]) async throws -> ImportReport {
        var options = ImportOptions()
        options.format = .automatic
        adapt(&options)
        let schema = try #require(schema)
        return try await ProfileImporter(schema: schema, today: .latest, options: options).run(bytes)
    }

    /// The number of rows that the proposal counts as refused.
    var refusedRows: Int { refused.reduce(0) { $0 + $1.rows.count } }

    subscript(header: String) -> ColumnProposal? { columns.first { $0.header == header } }

    /// The label of every column, by header.
    var labels: [String: String] {
        Dictionary(columns.map { ($0.header, $0.label) }) { first, _ in first }
    }
}

extension ColumnProposal {
    /// A label as a person would write it: the type, the notation and the content type.
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

/// The proposal for a column with these cells, in a file that also has a column `id` of unique keys.
func column(
    of cells: [String], named name: String = "x", isStrict: Bool = true
) async throws -> ColumnProposal {
    var text = "id,\(name)\n"
    for (row, cell) in cells.enumerated() { text += "k\(row),\"\(cell)\"\n" }
    let proposal = try await inferring(text) { $0.isStrict = isStrict }
    return try #require(proposal[name])
}
