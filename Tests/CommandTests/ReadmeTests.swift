import ProfileCore
import Testing
import Watchdog

/// Checks that the README and the documents that it links to are true.
@Suite(.watched) struct ReadmeTests {
    private static let documents =
        ["README.md"]
        + [
            "Administration", "Architecture", "Building", "Cluster", "Finding", "Importing", "Schema", "Security",
            "Serving", "Speed", "ThreatModel",
        ].map { "Documentation/\($0).md" }

    private let readme: Document

    init() throws { readme = try Document("README.md") }

    @Test(arguments: documents)
    func `every command of a document has the exit code and the output that the document shows`(path: String) throws {
        // Each document starts in an empty folder, so a reader can follow it without the others.
        let workplace = try Workplace()
        for command in try Document(path).commands {
            let (status, output) = try workplace.run(command.text)
            #expect(status == command.exitStatus, "\(command.text)\n\(output)")
            if let shown = command.output {
                #expect(output.matches(shown), "\(command.text)\n\(output)")
            }
        }
    }

    @Test func `the documents have commands to run, and none is missing from the list`() throws {
        // If the blocks of a document were not found, it would pass with any content.
        #expect(readme.commands.count >= 8)
        #expect(try Self.documents.map { try Document($0).commands.count }.reduce(0, +) >= 30)
        let (_, output) = try Workplace().run("cd '\(Document.root)' && ls README.md Documentation/*.md")
        #expect(output.sorted() == Self.documents.sorted())
    }

    @Test func `few commands are not run by the test, and each of them has a reason`() throws {
        let skipped = try Self.documents.flatMap { try Document($0).blocks }
            .filter { $0.isShell && $0.reasonNotToRun != nil }
        #expect(skipped.count <= 3)
        #expect(skipped.allSatisfy { $0.reasonNotToRun?.isEmpty == false })
        // A command of a document cannot write a spreadsheet, so the commands for spreadsheets have other tests.
        let targets = try Document("Makefile").lines.compactMap { $0.wholeMatch(of: /([a-z-]+):.*/)?.output.1 }
        for line in skipped.flatMap(\.lines) where !line.contains("people.xlsx") {
            let target = line.prefixMatch(of: /make ([a-z-]+)/)?.output.1
            #expect(target.map(targets.contains) == true, "\(line)")
        }
    }

    @Test func `the commands for cron and for systemd run as they are written`() throws {
        let document = try Document("Documentation/Administration.md")
        let cron = document.blocks.filter { $0.language == "crontab" }.flatMap(\.lines)
            .compactMap { $0.wholeMatch(of: /([-0-9*\/,]+ ){5}(.+)/).map { String($0.2) } }
        let services = document.blocks.filter { $0.language == "ini" }.flatMap(\.lines)
            .filter { $0.hasPrefix("ExecStart=") }.map { String($0.dropFirst("ExecStart=".count)) }
        #expect(cron.count == 1 && services.count == 1)
        let workplace = try Workplace()
        let start = "profiles init --quiet && mkdir -m 700 ~/backups"
        #expect(try workplace.run(start).status == 0)
        // systemd replaces %h by the user's home folder.
        for command in cron + services.map({ $0.replacing("%h", with: workplace.folder) }) {
            let (status, output) = try workplace.run(command)
            #expect(status == 0 && output.isEmpty, "\(command): \(output)")
        }
        #expect(try workplace.run("ls backups/*.sqlite").output.count == 2)
    }

    @Test func `systemd accepts the service and the timer`() throws {
        let units = try Document("Documentation/Administration.md").blocks.filter { $0.language == "ini" }
        try #require(units.count == 2)
        let workplace = try Workplace()
        for (name, unit) in zip(["service", "timer"], units) {
            // The command is not installed on the machine of a test.
            let text = unit.lines.joined(separator: "\n").replacing(
                "ExecStart=profiles", with: "ExecStart=\(try Workplace.binary())")
            try workplace.write(text + "\n", to: "profiles-backup.\(name)")
        }
        let (status, output) = try workplace.run(
            """
            command -v systemd-analyze > /dev/null || exit 0
            XDG_RUNTIME_DIR="$PWD" systemd-analyze verify --user --man=no ./profiles-backup.service ./profiles-backup.timer
            """)
        #expect(status == 0 && output.isEmpty, "\(output)")
    }

    @Test func `the README has at most 10,000 characters`() {
        let count = readme.lines.map { $0.count + 1 }.reduce(0, +)
        #expect(count <= 10_000)
    }

    @Test(arguments: documents + ["CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md"])
    func `every relative link leads to a file, and to a heading in it`(path: String) throws {
        let folder = path.split(separator: "/").dropLast().map { $0 + "/" }.joined()
        let workplace = try Workplace()
        for link in try Document(path).relativeLinks {
            let parts = link.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
            let target = parts[0].isEmpty ? path : folder + parts[0]
            #expect(try workplace.run("test -e '\(Document.root)/\(target)'").status == 0, "\(link)")
            if parts.count == 2 { #expect(try Document(target).anchors.contains(String(parts[1])), "\(link)") }
        }
    }

    @Test func `the Swift code of the README is that of the example`() throws {
        let example = try Document("Examples/Embedding/Sources/Embedding/main.swift").lines
        let start = try #require(example.firstIndex(of: "// [README"))
        let end = try #require(example.firstIndex(of: "// README]"))
        let code = try #require(readme.blocks.first { $0.language == "swift" })
        #expect(code.lines == Array(example[(start + 1)..<end]))
    }

    @Test func `the tables of the schema's keys have every key that the parser knows, and no other`() throws {
        let keys = try Document("Sources/ProfileCore/ProfileCore.docc/Schema.md").tableKeys
        let first = try #require(keys.firstIndex(of: "fields"))
        let last = try #require(keys.lastIndex { $0.hasSuffix("contentType") })
        let shown = Set(keys[first...last].flatMap { $0.split(separator: ".").map(String.init) })
        var known: Set<String> = []
        for place in [
            #"{"?": 0}"#, #"{"fields": [{"?": 0}]}"#, #"{"fields": [{"constraints": {"?": 0}}]}"#,
            #"{"fields": [{"profiles": {"?": 0}}]}"#, #"{"profiles": {"?": 0}}"#,
        ] {
            let failure = try #require(throws: SchemaFailure.self) { try ProfileSchema(parsing: place) }
            let names = failure.errors.compactMap { error in
                if case .unknownName(let names) = error.reason { names } else { nil }
            }
            known.formUnion(try #require(names.first))
        }
        #expect(shown == known)
    }

    @Test func `the documents list every reserved name, code of an issue and class of characters`() throws {
        let articles = ["Schema", "Issues"].map { "Sources/ProfileCore/ProfileCore.docc/\($0).md" }
        let text = try (articles + ["Documentation/Schema.md"])
            .flatMap { try Document($0).lines }.joined(separator: "\n")
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

    /// The repository's root, which is three levels above this file.
    static let root = #filePath.split(separator: "/").dropLast(3).map { "/" + $0 }.joined()

    /// Reads a file by its path from the repository's root.
    init(_ path: String) throws { lines = try Workplace.read(Self.root + "/" + path).lines }

    /// The lines outside fenced blocks.
    private var prose: [String] {
        var isFenced = false
        return lines.filter { line in
            if line.hasPrefix("```") { isFenced.toggle() }
            return !isFenced
        }
    }

    /// The targets of links and pictures that are not addresses of the web.
    var relativeLinks: [String] {
        prose.flatMap { $0.matches(of: /\]\(([^()\s]+)\)/).map { String($0.1) } }.filter { !$0.contains("://") }
    }

    /// The names of the headings, as a repository's web view makes them.
    var anchors: Set<String> {
        Set(
            prose.filter { $0.hasPrefix("#") }.map { heading in
                String(
                    heading.drop { $0 == "#" || $0 == " " }.lowercased()
                        .filter { $0.isLetter || $0.isNumber || " -_".contains($0) }.map { $0 == " " ? "-" : $0 })
            })
    }

    /// A fenced block.
    struct Block {
        let language: String
        let lines: [String]
        /// The reason in the comment directly before the block.
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

    /// A command of a block, with the output that the document shows.
    struct Command {
        var text: String
        /// Nil if the block shows only commands.
        var output: [String]?

        /// The expected exit code, from a comment such as `# exits 1` after the command.
        var exitStatus: Int32 { text.firstMatch(of: /# exits ([0-9]+)/).flatMap { Int32($0.1) } ?? 0 }
    }

    /// The commands of the document, in order. In a `console` block, a command follows `$ `, and the lines after it are
    /// its output. In an `sh` block, every line is a command.
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
    /// Returns whether the lines match the shown lines. A line `…` matches any lines, and `…` within a line matches any
    /// text.
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

    /// The lines without their line ends.
    fileprivate var lines: [String] {
        let lines = split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        return lines.last == "" ? lines.dropLast() : lines
    }
}

extension Workplace {
    /// Runs a line of shell as a person in a fresh account would, with the command first on the path and the store in
    /// its default place.
    ///
    /// - Returns: The exit code, and what came to standard output and standard error, in order.
    fileprivate func run(_ command: String) throws -> (status: Int32, output: [String]) {
        let tools = try Self.binary().split(separator: "/").dropLast().map { "/" + $0 }.joined()
        let outcome = try run(
            ["/bin/sh", "-c", "exec 2>&1\n" + command], input: "",
            environment: ["PATH": "\(tools):/usr/bin:/bin", "PROFILES_DATABASE": ""])
        return (outcome.status, outcome.output.lines)
    }
}
