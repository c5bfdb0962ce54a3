import Foundation

/// Compares the public declarations of the libraries with a baseline file. It also checks that each declaration is
/// documented and that the page for embedders names every type. `make interface` runs it.
///
///     PublicInterface FOLDER-OF-SYMBOL-GRAPHS BASELINE PAGE [--update]
@main struct PublicInterface {
    /// A line for each declaration, and one for each protocol that a type conforms to.
    private var lines: Set<String> = []
    /// Declarations without documentation, except those that a protocol documents.
    private var undocumented: [String] = []
    /// The path of each declaration.
    private var paths: Set<String> = []
    /// The paths that the page for embedders must have: types outside other types, and members of the repository.
    private var pathsOnPage: Set<String> = []

    static func main() throws {
        let arguments = CommandLine.arguments.dropFirst().filter { $0 != "--update" }
        guard arguments.count == 3, let folder = arguments.first, let page = arguments.last else {
            print("Usage: PublicInterface FOLDER-OF-SYMBOL-GRAPHS BASELINE PAGE [--update]")
            exit(64)
        }
        let baseline = URL(fileURLWithPath: arguments[arguments.startIndex + 1])
        let interface = try PublicInterface(ofGraphsIn: URL(fileURLWithPath: folder))
        if CommandLine.arguments.contains("--update") {
            try interface.text.write(to: baseline, atomically: true, encoding: .utf8)
        }
        let written = try String(contentsOf: baseline, encoding: .utf8)
        let isComplete = interface.complaints(
            about: Set(written.split(separator: "\n").map(String.init)),
            page: try String(contentsOf: URL(fileURLWithPath: page), encoding: .utf8))
        exit(isComplete ? 0 : 1)
    }

    private init(ofGraphsIn folder: URL) throws {
        let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
        for file in files.sorted(by: { $0.path < $1.path }) where file.lastPathComponent.hasSuffix(".symbols.json") {
            // `A@B` is the name of the file with the extensions that A adds to types of B.
            let modules = file.lastPathComponent.dropLast(".symbols.json".count).split(separator: "@")
            guard let module = modules.first else { continue }
            add(try JSONDecoder().decode(SymbolGraph.self, from: Data(contentsOf: file)), of: String(module))
        }
    }

    private mutating func add(_ graph: SymbolGraph, of module: String) {
        let ofProtocols = Set(graph.relationships.lazy.filter { $0.sourceOrigin != nil }.map(\.source))
        var paths: [String: String] = [:]
        for symbol in graph.symbols where !symbol.isSynthesized {
            paths[symbol.identifier.precise] = symbol.path
            lines.insert("\(module) \(symbol.path): \(symbol.declaration)")
            if symbol.docComment == nil, !ofProtocols.contains(symbol.identifier.precise) {
                undocumented.append("\(module) \(symbol.path)")
            }
            self.paths.insert(symbol.path)
            let isOfRepository = symbol.path.hasPrefix("ProfileRepository.") && !symbol.path.contains(".Options.")
            if symbol.pathComponents.count == 1 || isOfRepository { pathsOnPage.insert(symbol.path) }
        }
        // Every type conforms to these protocols unless it suppresses them.
        let implied: Set = [
            "Swift.Copyable", "Swift.Escapable", "Swift.SendableMetatype", "Swift.BitwiseCopyable",
        ]
        for relationship in graph.relationships where relationship.kind == "conformsTo" {
            guard let type = paths[relationship.source], let target = relationship.targetFallback,
                !implied.contains(target)
            else { continue }
            lines.insert("\(module) \(type) conforms to \(target)")
        }
    }

    private var text: String { lines.sorted().map { $0 + "\n" }.joined() }

    /// Prints the differences.
    ///
    /// - Returns: Whether there are none.
    private func complaints(about baseline: Set<String>, page: String) -> Bool {
        var named: Set<String> = []
        for row in page.split(separator: "\n") where row.hasPrefix("|") {
            // Every code span in a table is a path.
            let spans = row.split(separator: "`", omittingEmptySubsequences: false)
            for index in spans.indices where !index.isMultiple(of: 2) { named.insert(String(spans[index])) }
        }
        let lists: [(String, [String])] = [
            ("Gone or changed, which breaks whoever uses it:", baseline.subtracting(lines).sorted()),
            ("New, and not written down:", lines.subtracting(baseline).sorted()),
            ("Without documentation:", undocumented.sorted()),
            ("Not on the page for embedders:", pathsOnPage.subtracting(named).sorted()),
            ("On the page for embedders, and no public declaration:", named.subtracting(paths).sorted()),
        ]
        for (heading, list) in lists where !list.isEmpty {
            print(heading)
            for line in list { print("  " + line) }
        }
        if lines != baseline {
            print("make interface UPDATE=--update writes it down; a break belongs into CHANGELOG.md.")
        }
        return lists.allSatisfy { $0.1.isEmpty }
    }
}
