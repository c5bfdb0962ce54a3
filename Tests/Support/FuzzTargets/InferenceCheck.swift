internal import ProfileCore
internal import ProfileTransfer
internal import SchemaInference

/// Infers a schema from a file, and imports the file with this schema. The import must reject exactly as many rows as
/// the inference has refused (N1).
struct InferenceCheck {
    let bytes: [UInt8]
    let options: ImportOptions

    func run() async throws {
        var inference = InferenceOptions()
        inference.format = options.format
        inference.encoding = options.encoding
        inference.layout = options.layout
        inference.key = options.key == .column ? nil : options.key
        // The file must satisfy the tightest rules as well as the usual rules, which leave room for later files.
        inference.isStrict = bytes.count.isMultiple(of: 2)
        let input = ImportInput(bytes: bytes, name: "input")
        let proposal: SchemaProposal
        do throws(InferenceError) {
            proposal = try await SchemaInferrer(options: inference).run(input)
        } catch .input, .tooManyColumns, .headerFurtherDown, .repeatedHeader {
            return
        } catch {
            throw error
        }
        guard let schema = proposal.schema else { return }
        var adapted = ImportOptions()
        adapted.format = options.format
        adapted.encoding = options.encoding
        proposal.adapt(&adapted)
        let report = try await ProfileImporter(schema: schema, today: ImportChoices.today, options: adapted).run(input)
        let refused = proposal.refused.reduce(0) { $0 + $1.rows.count }
        try require(report.rows, is: proposal.rows, "rows by the inferred schema")
        try require(report.rejected, is: refused, "refused rows by the inferred schema \(schema.document())")
        let again = try ProfileSchema(parsing: schema.document())
        try require(again == schema, "the inferred schema changes when it is written: \(schema.document())")
    }
}
