internal import ArgumentParser
internal import ProfileStore

struct ListCommand: QueryCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "list",
            abstract: "List profiles in the order in which they were stored, or by a field.",
            discussion: """
                Shows one page, and says how to get the next one. Use "profiles export" for all profiles. A table is \
                fitted to the terminal, and the columns that do not fit are named. CSV, TSV and NDJSON can be imported \
                again.

                  profiles list
                  profiles list --limit 20 --after 140
                  profiles list --sort birthday --descending --where 'birthday<2000-01-01'
                  profiles list --columns username,phone --format csv
                  profiles list --invalid --format json

                \(CompletedWords.fieldList)
                """)
    }

    @OptionGroup var conditions: ConditionOptions
    @OptionGroup var page: PageOptions
    @OptionGroup var listing: ListingOptions
    @OptionGroup var store: StoreOptions

    var needsThreads: Bool { needsThreads() }

    func run() async throws {
        try await withStore("list", inOneCall: isOnePage) { repository in
            let isAny = try await answer(try query(in: repository.schema), of: repository)
            if !isAny, !listing.count { note("There are no \(kindOfProfiles).") }
        }
    }

    /// The kind of profiles that the command lists. The message about an empty list contains this text.
    private var kindOfProfiles: String {
        let kind = (page.after == nil ? "" : "further ") + (conditions.invalid ? "invalid " : "") + "profiles"
        var others = conditions
        others.invalid = false
        return others.isEmpty ? kind : kind + " that meet the conditions"
    }
}
