internal import ArgumentParser
internal import ProfileStore

/// The page of the profiles to show.
struct PageOptions: ParsableArguments {
    @Option(help: ArgumentHelp("Show at most this many profiles.", valueName: "n"))
    var limit = 100

    @Option(help: ArgumentHelp("Continue after the page that ended with this cursor.", valueName: "cursor"))
    var after: String?

    func validate() throws {
        guard 1...100_000 ~= limit else { throw ValidationError("--limit takes 1 to 100000.") }
        guard after == nil || cursor != nil else {
            throw ValidationError("--after takes the cursor at the end of the previous page.")
        }
    }

    var cursor: ProfileCursor? { after.flatMap(ProfileCursor.init) }
}
