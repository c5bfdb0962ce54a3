internal import ArgumentParser
internal import ProfileCore
internal import ProfileStore

/// Which part of many profiles to show.
struct PageOptions: ParsableArguments {
    @Flag(help: "Only profiles that revalidation found invalid.")
    var invalid = false

    @Option(help: ArgumentHelp("Most profiles to show.", valueName: "n"))
    var limit = 100

    @Option(help: ArgumentHelp("Go on where a page ended.", valueName: "cursor"))
    var after: String?

    func validate() throws {
        guard 1...100_000 ~= limit else { throw ValidationError("--limit takes 1 to 100000.") }
        guard after == nil || cursor != nil else {
            throw ValidationError("--after takes the cursor that the page before ended with.")
        }
    }

    var cursor: ProfileCursor? { after.flatMap(ProfileCursor.init) }

    func query(_ conditions: [ProfileQuery.Condition] = []) -> ProfileQuery {
        ProfileQuery(conditions, onlyInvalid: invalid, limit: limit, after: cursor)
    }
}

extension GlobalOptions {
    /// Shows a page: a table, or in JSON.
    func show(_ page: ProfilePage, _ schema: ProfileSchema) throws(CommandFailure) {
        switch format {
        case .json: try Output.standard.print(page.json().text(indented: true))
        case .text:
            if !page.profiles.isEmpty { try Output.standard.write(page.profiles.table(schema)) }
            if let next = page.next { note("More: --after \(next)") }
        }
    }
}
