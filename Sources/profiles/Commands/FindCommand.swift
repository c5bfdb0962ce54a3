internal import ArgumentParser
internal import ProfileCore
internal import ProfileStore
internal import TextLayout

struct FindCommand: QueryCommand {
    static let configuration = CommandConfiguration(
        commandName: "find",
        abstract: "Find profiles by a text anywhere in any field.",
        discussion: """
            Looks into every field that is not secret, whatever the case of letters and the accents on them: lodz finds \
            Łódź. The best come first: the whole value, its start, the start of a word, inside of one. What was found is \
            bold on a terminal, and has its place in "matches" in JSON. Exits 1 when there is none.

              profiles find main st
              profiles find smith --where 'birthday>=1990-01-01' --columns username,address
              profiles find 1241 --format json | jq '.profiles[].matches'
            """)

    @Argument(help: ArgumentHelp("What to look for; words stand there with a space between.", valueName: "text"))
    var words: [String] = []

    @OptionGroup var conditions: ConditionOptions
    @OptionGroup var page: PageOptions
    @OptionGroup var listing: ListingOptions
    @OptionGroup var store: StoreOptions

    private var text: String { words.joined(separator: " ") }

    func validate() throws {
        guard !FoldedText(text).bytes.isEmpty else { throw ValidationError("Say what to look for.") }
    }

    func run() async throws {
        try await withStore("find") { repository in
            let query = try query(text: text, order: .relevance, in: repository.schema)
            guard try await !answer(query, of: repository) else { return }
            let further = page.after == nil ? "" : "further "
            let meeting = conditions.isEmpty ? "" : " that meets the conditions"
            throw CommandFailure(.no, "No \(further)profile\(meeting) has \(text.quoted(longest: 64)) in any field")
        }
    }
}
