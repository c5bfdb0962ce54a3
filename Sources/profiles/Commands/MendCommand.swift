internal import ArgumentParser
internal import ProfileCore
internal import ProfileStore
internal import ProfileTransfer
internal import TextLayout

struct MendCommand: AsynchronousCommand {
    static let configuration = CommandConfiguration(
        commandName: "mend",
        abstract: "Mend rejected rows by hand, one after another.",
        discussion: """
            Shows each row of a file that "import --rejects" has written in a form, with what is wrong at its field, and \
            stores it once it is right. Ctrl-N leaves a row for later, Esc ends. Rows that are stored leave the file; \
            those that are left stay in it, and it is removed with the last one. Exits 1 while any are left.

              profiles import people.csv --rejects rejects.csv
              profiles mend rejects.csv
            """)

    @Argument(help: "The file of rejected rows.", completion: .file(extensions: ["csv"]))
    var file: String

    @Option(
        help: ArgumentHelp(
            "What separates the cells: one ASCII character, or tab. (default: , ; tab or |, found out)", valueName: "c")
    )
    var delimiter: Delimiter?

    @OptionGroup var columns: ColumnOptions
    @OptionGroup var asking: AskingOptions
    @OptionGroup var global: GlobalOptions

    func validate() throws {
        if file == "-" { throw ValidationError("mend takes a file, since it writes there what is left.") }
    }

    func run() async throws {
        guard let asking = global.asking(asking) else {
            throw CommandFailure(
                .usage, "Rows are mended on a terminal, and there is none",
                "Elsewhere correct \(file) itself, and import it again")
        }
        try await global.withStore("mend") { repository in
            let mending = Mending(
                path: file, options: options, repository: repository, asking: asking, global: global)
            let outcome = try await mending.run()
            try tell(outcome)
            if let failure = outcome.failure { throw failure }
            if outcome.left > 0 { throw CommandFailure(.no, lines: []) }
        }
    }

    private var options: ImportOptions {
        var options = ImportOptions()
        options.format = .csv(delimiter: delimiter?.byte)
        columns.adapt(&options)
        return options
    }

    private func tell(_ outcome: Mending.Outcome) throws(CommandFailure) {
        switch global.format {
        case .json:
            let json: JSONValue = [
                "file": .string(file), "stored": .number(outcome.stored),
                "stored_before": .number(outcome.storedBefore), "left": .number(outcome.left),
            ]
            try Output.standard.print(json.text(indented: true))
        case .text:
            let before = outcome.storedBefore == 0 ? "" : ", \(outcome.storedBefore) stored before"
            let stored = "\(outcome.stored) row\(outcome.stored == 1 ? "" : "s") stored\(before)"
            let left =
                outcome.left == 0
                ? "none is left, and \(file.visible) is removed"
                : "\(outcome.left) \(outcome.left == 1 ? "is" : "are") left in \(file.visible)"
            try Output.standard.print("\(stored); \(left).")
        }
    }
}
