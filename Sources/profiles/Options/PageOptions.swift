internal import ArgumentParser
internal import ProfileCore
internal import ProfileStore

/// The order of the profiles to show, and the page.
struct PageOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Sort by a field or by _id, _created_at and so on; profiles without a value come last.", valueName: "field"),
        completion: CompletedWords.fields)
    var sort: String?

    @Flag(help: "With --sort: sort the greatest values first.")
    var descending = false

    @Option(help: ArgumentHelp("Show at most this many profiles.", valueName: "n"))
    var limit = 100

    @Option(help: ArgumentHelp("Continue after the page that ended with this cursor.", valueName: "cursor"))
    var after: String?

    func validate() throws {
        guard 1...100_000 ~= limit else { throw ValidationError("--limit takes 1 to 100000.") }
        guard after == nil || cursor != nil else {
            throw ValidationError("--after takes the cursor at the end of the previous page.")
        }
        guard sort != nil || !descending else { throw ValidationError("--descending requires --sort FIELD.") }
    }

    var cursor: ProfileCursor? { after.flatMap(ProfileCursor.init) }

    /// The order of `--sort`. Nil without `--sort`.
    func order(in schema: ProfileSchema) throws(CommandFailure) -> ProfileQuery.Order? {
        guard let sort else { return nil }
        let field = try schema.comparedField(told: sort, forbidden: "Profiles cannot be sorted by a secret")
        return ProfileQuery.Order(field.name, isDescending: descending)
    }
}
