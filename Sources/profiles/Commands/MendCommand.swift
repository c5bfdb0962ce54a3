internal import ArgumentParser
internal import ProfileCore
internal import ProfileStore
internal import ProfileTransfer
internal import TextLayout

struct MendCommand: AsynchronousCommand, ResultWriting {
    static let configuration = CommandConfiguration(
        commandName: "mend",
        abstract: "Mend rejected rows by hand, one after another.",
        discussion: """
            Reads a file that "import --rejects" has written. Shows each row in a form, with each issue at its field, \
            and stores the row when it is valid. Ctrl-N leaves a row for later, Esc ends. Line by line, n leaves a row \
            for later, d deletes it from the file, and q ends. Rows that are stored leave the file. The other rows \
            stay in it, and the file is removed when no row is left. If no row was submitted or deleted, the file is \
            not touched. Exits 1 if rows are left.

            If other rows have a wrong value that you have corrected, you are asked whether to correct it in all of \
            them. The rows that are valid then are stored too; the others keep the correction.

            With --on-duplicate update, a row whose profile is stored already edits that profile, as an import does. \
            An empty cell clears an optional field, and fields without a column keep their values. With skip, such a \
            row is not shown, and leaves the file together with the rows that are stored.

              profiles import people.csv --rejects rejects.csv
              profiles mend rejects.csv
              profiles mend rejects.csv --on-duplicate update
            """)

    @Argument(help: "The file of rejected rows.", completion: .file(extensions: ["csv"]))
    var file: String

    @Option(help: Delimiter.help)
    var delimiter: Delimiter?

    @OptionGroup var columns: ColumnOptions
    @OptionGroup var onDuplicate: DuplicateOption
    @OptionGroup var asking: AskingOptions
    @OptionGroup var store: StoreOptions
    @OptionGroup var result: ResultOptions

    func validate() throws {
        if file == "-" { throw ValidationError(Mending.needsFile) }
    }

    func run() async throws {
        guard let asking = global.asking(asking) else {
            throw CommandFailure(
                .usage, "Rows can only be mended on a terminal, and there is none",
                "Without a terminal, correct \(file) itself, and import it again")
        }
        try await global.withStore("mend") { repository in
            let outcome = try await ScreenSession.keepingTerminal { screens in
                let mending = Mending(
                    path: file, options: options, repository: repository, asking: asking, screens: screens)
                return try await mending.run()
            }
            try tell(outcome)
            if let failure = outcome.failure { throw failure }
            if !outcome.isComplete { throw CommandFailure(.no, lines: []) }
        }
    }

    private var options: ImportOptions {
        var options = ImportOptions()
        options.format = .csv(delimiter: delimiter?.byte)
        options.duplicates = onDuplicate.policy
        columns.adapt(&options)
        options.source = file
        return options
    }

    private func tell(_ outcome: Mending.Outcome) throws(CommandFailure) {
        switch global.format {
        case .json:
            try Output.standard.print([
                "file": .string(file), "stored": .number(outcome.stored), "corrected": .number(outcome.corrected),
                "skipped": .number(outcome.skipped), "dropped": .number(outcome.dropped),
                "left": .number(outcome.left), "left_in": outcome.left == 0 ? .null : .string(outcome.place),
            ])
        case .text where global.quiet && outcome.isComplete && outcome.failure == nil: break
        case .text:
            // If no row was stored or deleted, the skipped rows are still in the file.
            let hasLeftSkipped = outcome.skipped > 0 && outcome.stored + outcome.dropped == 0
            let skipped = outcome.skipped == 0 || hasLeftSkipped ? "" : ", \(outcome.skipped.grouped) skipped"
            let dropped = outcome.dropped == 0 ? "" : ", \(outcome.dropped.grouped) deleted"
            let stored = "\(outcome.stored.counted("row")) stored\(skipped)\(dropped)"
            if outcome.corrected > 0 {
                let rows = "\(outcome.corrected.counted("row"))"
                global.note("\(rows) got the correction of another row.")
            }
            let left =
                if outcome.isRemoved {
                    "none is left, and \(outcome.place.visible) is removed"
                } else if outcome.left == 0, outcome.isDisplaced {
                    "none is left"
                } else if outcome.left == 0 {
                    "none is left, and \(file.visible) is as it was"
                } else {
                    "\(outcome.left.grouped) \(outcome.left == 1 ? "is" : "are") left in \(outcome.place.visible)"
                        + (hasLeftSkipped ? ", \(outcome.skipped.grouped) stored already" : "")
                }
            try Output.standard.print("\(stored); \(left).")
        }
        if outcome.isDisplaced {
            global.note(
                "Another program has replaced or changed \(file.visible) meanwhile, and so \(file.visible) was neither "
                    + "overwritten nor removed.")
        }
    }
}
