internal import ArgumentParser

struct BrowseCommand: AsynchronousCommand, StoreUsing {
    static let configuration = CommandConfiguration(
        commandName: "browse",
        abstract: "Look through all profiles on a screen, and change them.",
        discussion: """
            A table of all profiles, with the selected one beside it and what is wrong with it. / searches as you type, \
            in every field, whatever the case and the accents; s sorts by the column that the arrows have chosen, f shows \
            those that are invalid or not judged yet, Return opens the form, n registers another one, Delete asks and \
            removes, q leaves.

              profiles browse
              profiles browse elm st
            """)

    @Argument(
        help: ArgumentHelp("What to search for at first; words stand there with a space between.", valueName: "text"))
    var words: [String] = []

    @OptionGroup var store: StoreOptions

    func run() async throws {
        guard !store.noInput else { throw CommandFailure(.usage, "--no-input leaves nothing to browse with") }
        guard canShowScreen else {
            throw CommandFailure(.usage, "There is no terminal to draw on", ProfileBrowser.advice)
        }
        try await withStore("browse") { repository in
            try await ProfileBrowser(repository: repository).run(searching: words.joined(separator: " "))
        }
    }
}
