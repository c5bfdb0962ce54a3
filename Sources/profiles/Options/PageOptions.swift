internal import ArgumentParser
internal import ProfileCore
internal import ProfileStore

/// In which order profiles are shown, and which part of many.
struct PageOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp("Put them in order by a field; those without a value come last.", valueName: "field"),
        completion: CompletedWords.fields)
    var sort: String?

    @Flag(help: "With --sort: the greatest first.")
    var descending = false

    @Option(help: ArgumentHelp("Most profiles to show.", valueName: "n"))
    var limit = 100

    @Option(help: ArgumentHelp("Go on where a page ended.", valueName: "cursor"))
    var after: String?

    func validate() throws {
        guard 1...100_000 ~= limit else { throw ValidationError("--limit takes 1 to 100000.") }
        guard after == nil || cursor != nil else {
            throw ValidationError("--after takes the cursor that the page before ended with.")
        }
        guard sort != nil || !descending else { throw ValidationError("--descending goes with --sort FIELD.") }
    }

    var cursor: ProfileCursor? { after.flatMap(ProfileCursor.init) }

    /// Nil where none is asked for.
    func order(in schema: ProfileSchema) throws(CommandFailure) -> ProfileQuery.Order? {
        guard let sort else { return nil }
        let field = try schema.openField(told: sort, forbidden: "Nobody can be put in order by a secret")
        return ProfileQuery.Order(field.name, isDescending: descending)
    }
}
