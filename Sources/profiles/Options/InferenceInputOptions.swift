internal import ArgumentParser
internal import ProfileTransfer
internal import SchemaInference

/// The file for which a schema is looked for, and how.
struct InferenceInputOptions: ParsableArguments {
    @OptionGroup var source: InputFileOptions

    @Option(
        help: ArgumentHelp("The only columns that become fields, with commas between.", valueName: "header,…"))
    var columns: ColumnList?

    @Option(help: ArgumentHelp("Look at the first rows alone; the others may break the rules.", valueName: "n"))
    var sample: Int?

    func validate() throws {
        if let sample, sample < 1 { throw ValidationError("--sample takes 1 or more.") }
    }

    var options: InferenceOptions {
        var options = source.inference
        options.columns = columns?.headers ?? []
        options.sample = sample
        return options
    }
}

/// `name,born`: headers, each without the white space around it.
struct ColumnList: ExpressibleByArgument {
    let headers: [String]

    init?(argument: String) {
        headers = argument.split(separator: ",", omittingEmptySubsequences: false)
            .map { header in
                let start = header.drop { $0 == " " }
                return start.lastIndex { $0 != " " }.map { String(start[...$0]) } ?? ""
            }
        if headers.contains("") { return nil }
    }
}

extension InferenceOptions {
    /// What is found in the input, with a bar while it is read.
    func proposal(for source: ImportInput, isQuiet: Bool) async throws -> SchemaProposal {
        let bar = ProgressBar(byteCount: source.byteCount, isQuiet: isQuiet)
        defer { bar?.end() }
        let inference = SchemaInference(options: self)
        return try await Interruption.cancelling(isQuiet: isQuiet) {
            try await inference.run(source) { bar?.update($0) }
        }
    }
}
