internal import ArgumentParser
internal import ProfileCore
internal import ProfileForm
internal import ProfileStore
internal import ProfileTransfer
internal import TextLayout
internal import Threads

/// The completions and the parts of help that come from the store: the names of the fields, and the versions of the
/// schema.
///
/// The script of `profiles completion` calls the command with the words of the command line. argument-parser asks for
/// the completions while it parses, and it cannot wait for a store at that time. The same is true of help. So the words
/// are read before the arguments are parsed.
struct CompletedWords: Sendable {
    private var schema = ProfileSchema.standard
    private var versions: [Int] = []
    /// Whether the words come from a store.
    private var areOfStore = false
    /// The reason why the words do not come from the store; nil if there is no store.
    private var fault: String?

    private var fields: [String] { schema.openFields.map(\.name.text) }

    private static let words = Locked(CompletedWords())
    private static var current: CompletedWords { words.withLock(\.self) }

    /// The names of fields.
    static let fields = CompletionKind.custom { _, _, _ in current.fields }
    /// The names of fields for an assignment, such as `phone=`.
    static let assignments = CompletionKind.custom { _, _, _ in current.fields.map { $0 + "=" } }
    /// Names of columns, separated by commas. The user is typing the last name.
    static let columnLists = CompletionKind.custom { words, index, _ in
        let word = words.indices.contains(index) ? words[index] : ""
        let before = word.lastIndex(of: ",").map { String(word[...$0]) } ?? ""
        let named = before.split(separator: ",").map(String.init)
        return (current.fields + ProfileFact.allCases.map(\.name)).filter { !named.contains($0) }.map {
            before + $0
        }
    }
    /// Completes the field in `HEADER=FIELD`, after the user has typed the header.
    static let columns = CompletionKind.custom { words, index, _ in
        let word = words.indices.contains(index) ? words[index] : ""
        return word.lastIndex(of: "=").map { equals in current.fields.map { word[...equals] + $0 } } ?? []
    }
    /// The versions of the schema.
    static let versions = CompletionKind.custom { _, _, _ in current.versions.map(String.init) }

    /// The fields of the store in use, for the help of a subcommand that takes names of fields.
    static var fieldList: String {
        let words = current
        let fields = words.schema.openFields.map { "  \($0.name): \($0.title) (\($0.hint))".visible }
        let heading = words.areOfStore ? "The fields of the store in use:" : "The fields of the built-in schema:"
        let fault = words.fault.map { ["The fields of the store are not known. \($0.visible).", ""] } ?? []
        return (fault + [heading, ""] + fields).joined(separator: "\n")
    }

    /// Returns the help of an option for a field of the built-in schema. If the store in use has no such field, the
    /// option is hidden. Otherwise the help is the hint of the field, or `text` if no store was read.
    static func help(ofField name: FieldName, _ text: String) -> ArgumentHelp {
        let words = current
        // `--username` means the primary key of every schema.
        let rules = name == .username ? words.schema.primaryKey : words.schema[name]
        let hint = words.areOfStore ? rules.map { $0.hint.visible + "." } : nil
        return ArgumentHelp(hint ?? text, valueName: "value", visibility: rules == nil ? .hidden : .default)
    }

    /// Reads the words from the store, if a shell asks for completion, or if a user asks for the help of a subcommand.
    static func read(for arguments: [String]) async {
        let asksForHelp = arguments.first == "help" || arguments.contains("--help") || arguments.contains("-h")
        guard asksForHelp && arguments.count > 1 || arguments.first == "---completion" else { return }
        let read = await CompletedWords(onLine: arguments)
        words.withLock { $0 = read }
    }

    private init() {}

    /// Reads the words from the store that a command line names. If the store cannot be read, the words are the names
    /// of the built-in fields.
    private init(onLine words: [String]) async {
        self.init()
        do {
            let path = try StorePlace.path(Self.database(onLine: words))
            var options = ProfileRepository.Options()
            // The user waits for a completion or for help, so the limit is short.
            options.waitLimit = .seconds(2)
            let repository = try await StorePlace.open(path, options)
            schema = repository.schema
            areOfStore = true
            versions = try await repository.rules.versions().map(\.number)
            await repository.close()
        } catch {
            // The error is not thrown: a completion cannot show it, and help shows it as `fault`. A missing store is no
            // fault, because help needs no store.
            guard (error as? ProfileStoreError)?.code != .noStore else { return }
            fault = CommandFailure(error)?.lines.first ?? "\(error)"
        }
    }

    /// The value of `--database`. For a completion, a shell passes the words as the user typed them, so quotes are
    /// removed here.
    private static func database(onLine words: [String]) -> String? {
        for (index, word) in words.enumerated() {
            if word == "--database", index + 1 < words.endIndex { return unquoted(words[index + 1]) }
            if word.hasPrefix("--database=") { return unquoted(String(word.dropFirst("--database=".count))) }
        }
        return nil
    }

    private static func unquoted(_ word: String) -> String {
        let plain = word.filter { !"\"'\\".contains($0) }
        guard plain.hasPrefix("~/"), let home = Environment["HOME"] else { return plain }
        return home + plain.dropFirst()
    }
}
