internal import ArgumentParser
internal import ProfileStore

struct ListCommand: AsynchronousCommand, ResultWriting {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List profiles, in the order in which they came.",
        discussion: """
            Shows a page at a time, and says how to get the next one. Use "profiles export" for all of them.

              profiles list
              profiles list --limit 20 --after 140
              profiles list --invalid --format json
            """)

    @OptionGroup var page: PageOptions
    @OptionGroup var store: StoreOptions
    @OptionGroup var result: ResultOptions

    /// Profiles that nobody has judged are counted where invalid ones are listed.
    var needsThreads: Bool { page.invalid }

    func run() async throws {
        try await global.withStore("list") { repository in
            let count = try await global.show(page.query(), of: repository)
            if count == 0 { global.note("There are no \(page.kindOfProfiles)profiles.") }
        }
    }
}
