internal import ArgumentParser
internal import ProfileCore
internal import ProfileStore
internal import ProfileTransfer
internal import SchemaInference

/// The file from which a schema is inferred, and the options of the inference.
struct InferenceInputOptions: ParsableArguments {
    @OptionGroup var source: InputFileOptions

    @OptionGroup var rules: InferredRulesOptions

    @Option(help: ArgumentHelp("Examine only the first rows; the other rows may break the rules.", valueName: "n"))
    var sample: Int?

    func validate() throws {
        if let sample, sample < 1 { throw ValidationError("--sample takes 1 or more.") }
    }

    var options: InferenceOptions {
        var options = rules.inference(from: source)
        options.sample = sample
        return options
    }
}

extension InferenceOptions {
    /// Returns the options to infer the tightest rules of a file. ``SchemaLoosening`` compares these rules with the
    /// rules of a store.
    func compared(with schema: ProfileSchema) -> InferenceOptions {
        var options = self
        options.isStrict = true
        options.store = schema
        return options
    }

    /// Returns the proposal for an input. Shows a progress bar while the input is read, unless `isQuiet`.
    func proposal(for source: ImportInput, isQuiet: Bool) async throws -> SchemaProposal {
        let bar = ProgressBar(byteCount: source.byteCount, isQuiet: isQuiet)
        defer { bar?.end() }
        let inference = SchemaInferrer(options: self)
        return try await Interruption.cancelling(isQuiet: isQuiet) {
            try await inference.run(source) { bar?.update($0) }
        }
    }
}

extension SchemaLoosening {
    /// Finds the rules of a store that a file breaks, and loosens them. Dates are judged as of today. The proposal
    /// comes from an inference with ``InferenceOptions/compared(with:)``.
    init(
        of schema: ProfileSchema, by source: ImportInput, _ proposal: SchemaProposal, _ options: ImportOptions,
        attempting attempt: ImportAttempt
    ) async throws(CommandFailure) {
        do throws(ImportError) {
            self = try await SchemaLoosening(
                of: schema, by: source, proposal: proposal, today: Timestamp.now().day ?? .latest, options: options)
        } catch {
            throw CommandFailure(error, attempting: attempt)
        }
    }
}
