internal import ArgumentParser
internal import ProfileCore
internal import ProfileStore
internal import TextLayout

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

    /// What stands before "profiles" where a page has none: `invalid `, `further `.
    var kindOfProfiles: String { (after == nil ? "" : "further ") + (invalid ? "invalid " : "") }

    var cursor: ProfileCursor? { after.flatMap(ProfileCursor.init) }

    func query(_ conditions: [ProfileQuery.Condition] = []) -> ProfileQuery {
        ProfileQuery(conditions, status: invalid ? .invalid : nil, limit: limit, after: cursor)
    }
}

extension GlobalOptions {
    /// Shows a page that has no profile.
    func showNone(of repository: ProfileRepository) throws(CommandFailure) {
        try ProfileListing(of: repository, as: format).end(nil, unjudged: nil)
    }

    /// Shows what a query finds, and says how much that was: a table, or in JSON; on request a profile that is the only
    /// one by itself. Profiles are read a few at a time, so that their number and length do not matter.
    func show(
        _ query: ProfileQuery, of repository: ProfileRepository, onlyOneInFull inFull: Bool = false
    ) async throws -> Int {
        var listing = ProfileListing(of: repository, as: format)
        var last: Profile?
        var next: ProfileCursor?
        // One more tells whether there is another page.
        var pages = query
        pages.limit = min(query.limit + 1, 1_000)
        for try await profile in repository.all(pages) {
            if listing.count == query.limit {
                next = last.map(query.cursor(at:))
                break
            }
            try listing.add(profile)
            last = profile
        }
        let unjudged = query.status == .invalid ? try await repository.countUnjudged() : nil
        if let only = last, inFull, format == .text, listing.count == 1, next == nil {
            try show(only)
        } else {
            try listing.end(next, unjudged: unjudged)
            if let next, format == .text { note("More: --after \(next)") }
        }
        if let unjudged, unjudged > 0, format == .text { note(unjudged.unjudgedProfiles) }
        return listing.count
    }
}

extension Int {
    /// So many profiles that the rules in force have not judged yet, and what to do about it.
    var unjudgedProfiles: String {
        let subject = self == 1 ? "1 profile is" : "\(grouped) profiles are"
        return "\(subject) not marked by the rules in force yet: mark with \"profiles revalidate\"."
    }
}
