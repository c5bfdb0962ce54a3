internal import ArgumentParser
internal import ProfileCore
internal import ProfileStore
internal import TextLayout

struct FindCommand: QueryCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "find",
            abstract: "Find profiles by a text anywhere in any field.",
            discussion: """
                Searches every field that is not secret, ignoring case and accents: lodz finds Łódź. The best matches come \
                first: the whole value, then its start, the start of a word, and inside a word. Matches are bold on a \
                terminal; in JSON, "matches" holds their places. Exits 1 if no profile matches.

                  profiles find main st
                  profiles find smith --where 'birthday>=1990-01-01' --columns username
                  profiles find 1241 --format json | jq '.profiles[].matches'

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

    private var text: String { words.joined(separator: " ") }

    func validate() throws {
        guard !FoldedText(text).bytes.isEmpty else { throw ValidationError.nothingToFind }
    }

    func run() async throws {
        try await withStore("find", inOneCall: isOnePage) { repository in
            let query = try query(text: text, order: .relevance, in: repository.schema)
            guard try await !answer(query, of: repository) else { return }
            let further = page.after == nil ? "" : "further "
            let meeting = conditions.isEmpty ? "" : " that meets the conditions"
            throw CommandFailure(.no, "No \(further)profile\(meeting) has \(text.quoted(longest: 64)) in any field")
        }
    }
}

extension ValidationError {
    /// The error for a search text that is empty after ``FoldedText`` has removed the characters that a search ignores.
    static let nothingToFind = ValidationError("Say what to look for.")
}
