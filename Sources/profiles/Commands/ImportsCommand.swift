internal import ArgumentParser
internal import ProfileCore
internal import ProfileStore
internal import TextLayout

struct ImportsCommand: AsynchronousCommand, ResultWriting {
    static let configuration = CommandConfiguration(
        commandName: "imports",
        abstract: "List the imports of files.",
        discussion: """
            Lists the imports that the history still has, newest first, with the numbers of profiles that they have \
            added and updated.

              profiles imports
              profiles imports --limit 5 --format json
            """)

    @Option(help: ArgumentHelp("Show at most this many imports.", valueName: "n"))
    var limit = 100

    @OptionGroup var store: StoreOptions
    @OptionGroup var result: ResultOptions

    func validate() throws {
        guard 1...10_000 ~= limit else { throw ValidationError("--limit takes 1 to 10000.") }
    }

    func run() async throws {
        let imports = try await global.withStore("imports", inOneCall: true) { repository in
            try await repository.historyChanges(onlyImports: true, limit: limit)
        }
        switch global.format {
        case .json: try Output.standard.print(["imports": .array(imports.map(\.json))])
        case .text where imports.isEmpty: global.note("There are no imports in the history.")
        case .text:
            var table = TextTable(["Change", "Time", "File", "By", "Added", "Updated"])
            for change in imports {
                table.add([
                    String(change.number), change.madeAt.text, change.source, change.author, String(change.added),
                    String(change.updated),
                ])
            }
            try Output.standard.write(table.text)
        }
    }
}
