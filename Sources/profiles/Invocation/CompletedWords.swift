internal import ArgumentParser
internal import ProfileCore
internal import ProfileStore
internal import ProfileTransfer

/// The completions that come from the store: the names of the fields, and the versions of the schema.
///
/// The script of `profiles completion` calls the command with the words of the command line. argument-parser asks for
/// the completions while it parses, and it cannot wait for a store at that time. So the words are read before the
/// arguments are parsed.
struct CompletedWords: Sendable {
    private var fields = ProfileSchema.standard.openFields.map(\.name.text)
    private var versions: [Int] = []

    @TaskLocal private static var current = CompletedWords()

    /// The names of fields.
    static let fields = CompletionKind.custom { _, _, _ in current.fields }
    /// The names of fields for an assignment, such as `phone=`.
    static let assignments = CompletionKind.custom { _, _, _ in current.fields.map { $0 + "=" } }
    /// Names of columns, separated by commas. The user is typing the last name.
    static let columnLists = CompletionKind.custom { words, index, _ in
        let word = words.indices.contains(index) ? words[index] : ""
        let before = word.lastIndex(of: ",").map { String(word[...$0]) } ?? ""
        let named = before.split(separator: ",").map(String.init)
        return (current.fields + ProfileColumn.besidesFields.map(\.name)).filter { !named.contains($0) }.map {
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

    /// Parses the arguments of the process. If a shell asks for completion, the words are first read from the store.
    static func atHand<Value>(_ parse: () throws -> Value) async throws -> Value {
        let arguments = CommandLine.arguments.dropFirst()
        guard arguments.first == "---completion" else { return try parse() }
        return try await $current.withValue(CompletedWords(onLine: Array(arguments))) { try parse() }
    }

    private init() {}

    /// Reads the words from the store that a command line names. If the store cannot be read, the words are the names
    /// of the built-in fields.
    private init(onLine words: [String]) async {
        self.init()
        do {
            let path = try StorePlace.path(Self.database(onLine: words))
            var options = ProfileRepository.Options()
            // The user waits for the completion after pressing Tab, so the limit is short.
            options.waitLimit = .seconds(2)
            let repository = try await StorePlace.open(path, options)
            fields = repository.schema.openFields.map(\.name.text)
            versions = try await repository.rules.versions().map(\.number)
            await repository.close()
        } catch {
            // A shell does not show errors of a completion.
        }
    }

    /// The value of `--database`. A shell passes words as the user typed them, so quotes are removed here.
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
