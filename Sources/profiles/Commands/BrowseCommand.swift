internal import ArgumentParser

struct BrowseCommand: AsynchronousCommand, StoreUsing {
    static let configuration = CommandConfiguration(
        commandName: "browse",
        abstract: "Look through all profiles on a screen, and change them.",
        discussion: """
            Shows a table of all profiles, and beside it the selected profile with its issues. / searches in every \
            field as you type, ignoring case and accents. s sorts by the column that the arrow keys have chosen. = \
            shows only profiles with the same value in that column, and ! leaves them out. Return opens the form, H \
            shows the history of the profile, and u undoes the newest change. Space selects profiles, which e edits, d \
            removes and x exports together. c chooses the columns, and the mouse works too. ? shows all keys. q quits.

            A store that you may only read can be browsed too.

              profiles browse
              profiles browse elm st
            """)

    @Argument(
        help: ArgumentHelp("Search for this text at the start; words are joined by spaces.", valueName: "text"))
    var words: [String] = []

    @Flag(name: .customLong("no-mouse"), help: "Leave the mouse to the terminal, which selects text with it.")
    var noMouse = false

    @OptionGroup var store: StoreOptions

    func run() async throws {
        guard !store.noInput else { throw CommandFailure(.usage, "browse asks for input, which --no-input forbids") }
        guard canShowScreen else {
            throw CommandFailure(.usage, "There is no terminal to draw on", ProfileBrowser.advice)
        }
        try await withStore("browse") { repository in
            try await ProfileBrowser(repository: repository, database: store.database, usesMouse: !noMouse).run(
                searching: words.joined(separator: " "))
        }
    }
}
