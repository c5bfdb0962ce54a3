internal import ArgumentParser
internal import ProfileCore
internal import ProfileStore
internal import TextLayout

struct ListCommand: QueryCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "list",
            abstract: "List profiles, or search them.",
            discussion: """
                Lists all profiles in the order in which they were stored. With a text, lists the profiles that have \
                the text in any field, the best matches first, as "profiles find" does. Shows one page, and says how \
                to get the next one. Use "profiles export" for all profiles. A table is fitted to the terminal, and \
                the columns that do not fit are named. CSV, TSV and NDJSON can be imported again.

                  profiles list
                  profiles list main st
                  profiles list --limit 20 --after 140
                  profiles list --where 'birthday<2000-01-01' --sort birthday:desc
                  profiles list --sort postal_code --sort birthday:desc
                  profiles list --or --where postal_code= --where birthday=
                  profiles list --columns username,phone --format csv
                  profiles list --invalid --format json

                \(CompletedWords.fieldList)
                """)
    }

    @Argument(help: ArgumentHelp("Search for this text; words are joined by spaces.", valueName: "text"))
    var words: [String] = []

    @OptionGroup var conditions: ConditionOptions
    @OptionGroup var order: OrderOptions
    @OptionGroup var page: PageOptions
    @OptionGroup var listing: ListingOptions
    @OptionGroup var store: StoreOptions

    private var text: String? { words.isEmpty ? nil : words.joined(separator: " ") }

    func validate() throws {
        guard text.map({ FoldedText($0).bytes.isEmpty }) != true else { throw ValidationError.nothingToFind }
    }

    var needsThreads: Bool { text != nil || needsThreads() }

    func run() async throws {
        try await withStore("list", inOneCall: isOnePage) { repository in
            let query = try query(text: text, order: text.map { _ in .relevance }, in: repository.schema)
            let isAny = try await answer(query, of: repository)
            if !isAny, !listing.count { note("There are no \(kindOfProfiles).") }
        }
    }

    /// The kind of profiles that the command lists. The message about an empty list contains this text.
    private var kindOfProfiles: String {
        let further = page.after == nil ? "" : "further "
        let kind = further + "profiles" + (conditions.status == .invalid ? " marked invalid" : "")
        var others = conditions
        others.invalid = conditions.invalid && conditions.status == nil
        let searched = text.map { " with \($0.quoted(longest: 64)) in any field" } ?? ""
        return kind + searched + (others.isEmpty ? "" : " that meet the conditions")
    }
}
