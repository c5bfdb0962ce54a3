internal import ArgumentParser
internal import ProfileCore
internal import ProfileStore
internal import ProfileTransfer

/// What a shell is told that only the store knows: its fields and the versions of its schema.
///
/// The script that `profiles completion` prints calls the command with the words of the line. argument-parser then asks
/// for words while it parses, when it is too late to open a store, so they are read before.
struct CompletedWords: Sendable {
    private var fields = ProfileSchema.standard.openFields.map(\.name.text)
    private var versions: [Int] = []

    @TaskLocal private static var current = CompletedWords()

    /// The names of fields.
    static let fields = CompletionKind.custom { _, _, _ in current.fields }
    /// The names of fields that get a value: `phone=`.
    static let assignments = CompletionKind.custom { _, _, _ in current.fields.map { $0 + "=" } }
    /// Names of columns with commas between, of which the last is being typed.
    static let columnLists = CompletionKind.custom { words, index, _ in
        let word = words.indices.contains(index) ? words[index] : ""
        let before = word.lastIndex(of: ",").map { String(word[...$0]) } ?? ""
        let named = before.split(separator: ",").map(String.init)
        return (current.fields + ProfileColumn.besidesFields.map(\.name)).filter { !named.contains($0) }.map {
            before + $0
        }
    }
    /// `HEADER=FIELD`, as soon as the header is there.
    static let columns = CompletionKind.custom { words, index, _ in
        let word = words.indices.contains(index) ? words[index] : ""
        return word.lastIndex(of: "=").map { equals in current.fields.map { word[...equals] + $0 } } ?? []
    }
    /// The versions of the schema.
    static let versions = CompletionKind.custom { _, _, _ in current.versions.map(String.init) }

    /// Parses the arguments of the process with the words at hand, if a shell asks for some.
    static func atHand<Value>(_ parse: () throws -> Value) async throws -> Value {
        let arguments = CommandLine.arguments.dropFirst()
        guard arguments.first == "---completion" else { return try parse() }
        return try await $current.withValue(CompletedWords(onLine: Array(arguments))) { try parse() }
    }

    private init() {}

    /// Reads them from the store that a line names; where it cannot be read, the built-in fields have to do.
    private init(onLine words: [String]) async {
        self.init()
        do {
            let path = try StorePlace.path(Self.database(onLine: words))
            var options = ProfileRepository.Options()
            // Whoever presses Tab waits no longer for a server.
            options.waitLimit = .seconds(2)
            let repository = try await StorePlace.open(path, options)
            fields = repository.schema.openFields.map(\.name.text)
            versions = try await repository.rules.versions().map(\.number)
            await repository.close()
        } catch {
            // A shell shows nothing of what went wrong.
        }
    }

    /// The value of `--database`. A shell passes words as they are typed, so that quotes are taken away here.
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
