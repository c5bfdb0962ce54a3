import Glibc
import ProfileCore
import Testing

/// What the README says is what happens.
@Suite struct ReadmeTests {
    private let readme = Document("README.md")

    @Test func `every command of the README ends and answers as it is shown there`() throws {
        let folder = try FreshFolder()
        let commands = readme.commands
        // A README whose blocks are not found would pass whatever it says.
        try #require(commands.count > 15)
        for command in commands {
            let (code, output) = try folder.run(command.text)
            #expect(code == command.exitCode, "\(command.text)\n\(output)")
            if let shown = command.output {
                #expect(output.masked.matches(shown.masked), "\(command.text)\n\(output)")
            }
        }
    }

    @Test func `few commands are kept from the test, each with a reason`() {
        let skipped = readme.blocks.filter { $0.isShell && $0.reasonNotToRun != nil }
        #expect(skipped.count <= 2)
        #expect(skipped.allSatisfy { $0.reasonNotToRun?.isEmpty == false })
        #expect(skipped.flatMap(\.lines).allSatisfy { $0.hasPrefix("make ") || $0.hasPrefix("sudo make ") })
    }

    @Test func `the README's make targets are in the Makefile`() {
        let targets = Document("Makefile").lines.compactMap { $0.wholeMatch(of: /([a-z-]+):.*/)?.output.1 }
        for line in readme.blocks.filter({ $0.isShell && $0.reasonNotToRun != nil }).flatMap(\.lines) {
            let target = line.firstMatch(of: /make ([a-z-]+)/)?.output.1
            #expect(target.map(targets.contains) == true, "\(line)")
        }
    }

    @Test func `the Swift code of the README is that of the example`() throws {
        let example = Document("Examples/Embedding/Sources/Embedding/main.swift").lines
        let start = try #require(example.firstIndex(of: "// [README"))
        let end = try #require(example.firstIndex(of: "// README]"))
        let code = try #require(readme.blocks.first { $0.language == "swift" })
        #expect(code.lines == Array(example[(start + 1)..<end]))
    }

    @Test(arguments: ["README.md", "Sources/ProfileCore/ProfileCore.docc/Schema.md"])
    func `the tables of the schema's keys have every key that the parser knows, and no other`(path: String) throws {
        let rows = Document(path).tableKeys.map { $0.split(separator: ".").last.map(String.init) ?? $0 }
        var known: Set<String> = []
        for place in [
            #"{"?": 0}"#, #"{"fields": [{"?": 0}]}"#, #"{"fields": [{"constraints": {"?": 0}}]}"#,
            #"{"fields": [{"profiles": {"?": 0}}]}"#,
        ] {
            let error = try #require(throws: SchemaError.self) { try ProfileSchema(parsing: place) }
            let list = try #require(error.reason.firstMatch(of: /known are (.+)/)?.output.1)
            let keys = list.split(separator: ", ").map(String.init)
            known.formUnion(keys)
            for key in keys { #expect(rows.contains(key), "\(key) is missing") }
        }
        let first = try #require(rows.firstIndex(of: "fields"))
        let last = try #require(rows.lastIndex(of: "contentType"))
        let others = rows[first...last].filter { !known.contains($0) }
        #expect(others.isEmpty)
    }

    @Test func `the README lists every reserved name, code of an issue and class of characters`() {
        let text = readme.lines.joined(separator: "\n")
        for name in FieldName.reserved { #expect(text.contains("`\(name)`"), "\(name)") }
        for code in ValidationIssue.Code.allCases { #expect(text.contains("`\(code.rawValue)`"), "\(code)") }
        for name in Requirement.allCases { #expect(text.contains("`\(name.rawValue)`"), "\(name)") }
        for type in FieldType.allCases { #expect(text.contains("`\(type.rawValue)`"), "\(type)") }
        for name in ["ascii-letters", "ascii-digits", "letters", "digits", "spaces", "special"] {
            #expect(text.contains("`\(name)`"), "\(name)")
        }
    }
}

/// A text file of the repository.
private struct Document {
    let lines: [String]

    init(_ path: String) {
        lines = TextFile.read(Repository.root + "/" + path).split(separator: "\n", omittingEmptySubsequences: false)
            .map(String.init)
    }

    /// A fenced block.
    struct Block {
        let language: String
        let lines: [String]
        /// What stands in a comment right before it.
        let reasonNotToRun: String?

        var isShell: Bool { language == "console" || language == "sh" }
    }

    var blocks: [Block] {
        var blocks: [Block] = []
        var start: Int?
        for (index, line) in lines.enumerated() where line.hasPrefix("```") {
            guard let opened = start else {
                start = index
                continue
            }
            let before = opened > 0 ? lines[opened - 1] : ""
            blocks.append(
                Block(
                    language: String(lines[opened].dropFirst(3)), lines: Array(lines[(opened + 1)..<index]),
                    reasonNotToRun: before.wholeMatch(of: /<!-- not run by the test: (.*) -->/).map { String($0.1) }))
            start = nil
        }
        return blocks
    }

    /// A command of a block, with what it is said to answer.
    struct Command {
        var text: String
        /// Nil where a block shows commands alone.
        var output: [String]?

        /// As a comment behind the command says: `# exits 1`.
        var exitCode: Int32 { text.firstMatch(of: /# exits ([0-9]+)/).flatMap { Int32($0.1) } ?? 0 }
    }

    /// In order: in `console` blocks what follows `$ `, with the lines after it; in `sh` blocks every line.
    var commands: [Command] {
        var commands: [Command] = []
        for block in blocks where block.isShell && block.reasonNotToRun == nil {
            var endOfText: String?
            for line in block.lines {
                if let end = endOfText {
                    // A here-document goes on to the line that it names.
                    commands[commands.count - 1].text += "\n" + line
                    if line == end { endOfText = nil }
                } else if block.language == "sh" {
                    commands.append(Command(text: line))
                } else if line.hasPrefix("$ ") {
                    commands.append(Command(text: String(line.dropFirst(2)), output: []))
                    endOfText = line.firstMatch(of: /<<'([A-Z]+)'/).map { String($0.1) }
                } else if !commands.isEmpty {
                    commands[commands.count - 1].output?.append(line)
                }
            }
        }
        return commands
    }

    /// The names in the first column of every table; a cell may hold several.
    var tableKeys: [String] {
        lines.filter { $0.hasPrefix("| `") }
            .compactMap { $0.split(separator: "|").first }
            .flatMap { cell in cell.matches(of: /`([^`]+)`/).map { String($0.1) } }
    }
}

extension [String] {
    /// Whether the lines are those that are shown, where `…` stands for any lines, or for anything within a line.
    fileprivate func matches(_ shown: [String]) -> Bool {
        guard let first = shown.first else { return isEmpty }
        if first == "…" {
            return (0...count).contains { Array(dropFirst($0)).matches(Array(shown.dropFirst())) }
        }
        guard let line = self.first, line.matches(shown: first) else { return false }
        return Array(dropFirst()).matches(Array(shown.dropFirst()))
    }
}

extension String {
    fileprivate func matches(shown: String) -> Bool {
        let parts = shown.split(separator: "…", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2 else { return self == shown }
        return utf8.count >= parts[0].utf8.count + parts[1].utf8.count && hasPrefix(parts[0]) && hasSuffix(parts[1])
    }

    fileprivate var masked: [String] {
        var lines = split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        if lines.last == "" { lines.removeLast() }
        return lines.masked
    }
}

extension [String] {
    /// With times that are those of the run replaced.
    fileprivate var masked: [String] {
        map { $0.replacing(/[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9:.]{8,12}( UTC|Z)/, with: "TIME") }
    }
}

/// A new folder with nothing in it, in which commands run; gone when the test ends.
private struct FreshFolder: ~Copyable {
    private let path: String

    init() throws {
        var template = Array("/tmp/profiles-readme.XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw ShellError.folder(errno) }
        path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
        mkdir(path + "/work", 0o700)
    }

    deinit { system("rm -rf '\(path)'") }

    /// Runs a command as a person in a fresh account would, with the binary under test first on the path.
    ///
    /// - Returns: The exit code, and what came to standard output and standard error, in order.
    func run(_ command: String) throws -> (code: Int32, output: String) {
        let script = path + "/command"
        TextFile.write(command + "\n", to: script)
        let environment = "env -i HOME='\(path)' PATH='\(Repository.products)':/usr/bin:/bin LC_ALL=C.UTF-8"
        guard let pipe = popen("cd '\(path)/work' && \(environment) sh '\(script)' < /dev/null 2>&1", "r") else {
            throw ShellError.pipe(errno)
        }
        let output = TextFile.readAll(pipe)
        let status = pclose(pipe)
        // `WEXITSTATUS` is a macro.
        guard status & 0x7F == 0 else { throw ShellError.signal(status & 0x7F) }
        return (status >> 8 & 0xFF, output)
    }
}

private enum ShellError: Error {
    case folder(Int32)
    case pipe(Int32)
    case signal(Int32)
}

private enum TextFile {
    static func read(_ path: String) -> String {
        guard let file = fopen(path, "r") else {
            Issue.record("\(path) cannot be read")
            return ""
        }
        defer { fclose(file) }
        return readAll(file)
    }

    static func readAll(_ file: UnsafeMutablePointer<FILE>) -> String {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while case let count = fread(&buffer, 1, buffer.count, file), count > 0 { bytes += buffer[..<count] }
        return String(decoding: bytes, as: UTF8.self)
    }

    static func write(_ text: String, to path: String) {
        guard let file = fopen(path, "w") else { return }
        fputs(text, file)
        fclose(file)
    }
}

private enum Repository {
    /// Three levels above this file.
    static let root = #filePath.split(separator: "/").dropLast(3).map { "/" + $0 }.joined()

    /// Where the binaries of this build are: beside the one that runs the tests.
    static let products: String = {
        var buffer = [UInt8](repeating: 0, count: 4_096)
        let count = buffer.withUnsafeMutableBytes { readlink("/proc/self/exe", $0.baseAddress, $0.count) }
        let executable = String(decoding: buffer.prefix(max(0, count)), as: UTF8.self)
        let folder = executable.split(separator: "/").dropLast().map { "/" + $0 }.joined()
        return access(folder + "/profiles", X_OK) == 0 ? folder : root + "/.build/debug"
    }()
}
