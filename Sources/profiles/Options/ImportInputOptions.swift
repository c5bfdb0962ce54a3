internal import ArgumentParser
internal import ProfileCore
internal import ProfileStore
internal import ProfileStoreSQLite
internal import ProfileTransfer

/// The input of an import or a validation, its format, and the outputs for rejected rows and the report.
struct ImportInputOptions: ParsableArguments {
    @OptionGroup(title: "Input") var source: InputFileOptions
    @OptionGroup(title: "Columns") var columns: ColumnOptions
    @OptionGroup(title: "Rejected rows and report") var outputs: ImportOutputOptions

    func validate() throws {
        let keepIgnored = outputs.keepIgnored
        if keepIgnored, !columns.ignoreUnknown { throw ValidationError("--keep-ignored requires --ignore-unknown.") }
        if keepIgnored, source.isJSON { throw ValidationError("--keep-ignored is for CSV.") }
    }

    var file: String { source.file }
    var rejects: String? { outputs.rejects }
    var report: String? { outputs.report }
    var force: Bool { outputs.force }

    /// Throws if an output file would replace the input or a file of the store. Also throws if an output file exists
    /// and `--force` is not given. A command calls this method before it reads the input.
    func requireOutputs(_ global: GlobalOptions) throws(CommandFailure) {
        var spared = FilePlaces()
        if file != "-" { spared.insert(file) }
        for path in [rejects, report].compactMap(\.self) {
            try global.requireOutput(path, replacing: force, sparing: spared)
        }
    }

    /// The import options that these options describe.
    var options: ImportOptions {
        var options = source.importing
        options.rejectLimit = outputs.maxRejects?.limit
        options.mostIssues = outputs.maxIssues
        columns.adapt(&options)
        options.keepsIgnoredColumns = outputs.keepIgnored
        options.source = file
        return options
    }

    /// Returns the options that `mend` needs to read the rejected rows of an input in this format.
    func wordsForRejects(of format: InputFormat) -> [String] {
        // If the input is JSON, the columns of the rejected rows have the names of fields. So no option is needed.
        if format == .json { return [] }
        var words: [String] = []
        if let byte = source.delimiter?.byte {
            words += ["--delimiter", byte == 9 ? "tab" : String(Unicode.Scalar(byte))]
        }
        for column in columns.mappings { words += ["--map", "\(column.header)=\(column.field)"] }
        let keepIgnored = outputs.keepIgnored
        if keepIgnored { for header in columns.ignored { words += ["--ignore", header] } }
        return words + (keepIgnored ? ["--ignore-unknown"] : [])
    }
}
