import Foundation
import HTTPTypes
import ProfileCore
import Testing

@testable import ProfileServer

/// The committed files that are generated from the table of routes. `make server-description` writes them.
@Suite(.timeLimit(.minutes(5))) struct DescriptionTests {
    private static let package = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()
    private static let isWriting = ProcessInfo.processInfo.environment["PROFILES_WRITE_DESCRIPTION"] != nil
    private static let routes = RouteName.allCases.map(\.route)

    @Test func `H2: the committed openapi.json matches the routes, and every breaking change is reported`() throws {
        let file = Self.package.appendingPathComponent("openapi.json")
        let document = OpenAPIDocument(Self.routes).json
        if Self.isWriting { try Data((document.text(indented: true) + "\n").utf8).write(to: file) }
        let committed = try JSONValue(parsing: String(contentsOf: file, encoding: .utf8))
        let breaks = committed.breaks(in: document)
        #expect(breaks.isEmpty, "Clients of the committed description break: \(breaks.joined(separator: "; "))")
        #expect(document == committed, "Run \"make server-description\", and commit openapi.json.")
    }

    @Test func `A breaking change of the description is found`() throws {
        let document = OpenAPIDocument(Self.routes).json
        let fewer = OpenAPIDocument(Self.routes.filter { $0.name != .leave }).json
        #expect(document.breaks(in: fewer) == ["post /v1/me/leave is gone"])
        #expect(fewer.breaks(in: document).isEmpty)
        let text = document.text()
        let stricter = text.replacing(#""required":["passcode"]"#, with: #""required":["passcode","reason"]"#)
        #expect(document.breaks(in: try JSONValue(parsing: stricter)) == ["Passcode requires reason"])
        let poorer = text.replacing(#""required":["status"]"#, with: #""required":[]"#)
        #expect(document.breaks(in: try JSONValue(parsing: poorer)) == ["Health may lack status"])
    }

    @Test func `The article has the tables of the routes`() throws {
        let file = Self.package.deletingLastPathComponent().appendingPathComponent("Documentation/Serving.md")
        let text = try String(contentsOf: file, encoding: .utf8)
        let start = "<!-- routes -->\n\n", end = "\n<!-- end of routes -->"
        let parts = text.components(separatedBy: start)
        try #require(parts.count == 2 && parts[1].contains(end))
        let rest = parts[1].components(separatedBy: end)
        let tables = RouteArticle(Self.routes).text
        if Self.isWriting { try Data((parts[0] + start + tables + end + rest[1]).utf8).write(to: file) }
        #expect(Self.isWriting || rest[0] == tables, "Run \"make server-description\".")
    }

    @Test func `Each route has its own method, path and name`() {
        #expect(Set(Self.routes.map { "\($0.method) \($0.path)" }).count == Self.routes.count)
        #expect(Self.routes.map(\.name) == RouteName.allCases)
    }
}

extension JSONValue {
    fileprivate var members: [JSONMember] { if case .object(let members) = self { members } else { [] } }
    fileprivate var elements: [JSONValue] { if case .array(let elements) = self { elements } else { [] } }

    /// Returns the breaking changes in another version of this OpenAPI document: operations, parameters, successful
    /// statuses and members of answers that are gone, and members of requests that are now required.
    fileprivate func breaks(in other: JSONValue) -> [String] {
        var breaks: [String] = []
        for path in self["paths"]?.members ?? [] {
            for operation in path.value.members {
                let name = "\(operation.name) \(path.name)"
                guard let present = other["paths"]?[path.name]?[operation.name] else {
                    breaks.append("\(name) is gone")
                    continue
                }
                for answer in operation.value["responses"]?.members ?? [] where answer.name.hasPrefix("2") {
                    if present["responses"]?[answer.name] == nil {
                        breaks.append("\(name) no longer answers \(answer.name)")
                    }
                }
                let known = present["parameters"]?.elements.map { $0["name"] } ?? []
                for parameter in operation.value["parameters"]?.elements ?? [] where !known.contains(parameter["name"])
                {
                    breaks.append("\(name) no longer takes \(parameter["name"]?.text() ?? "")")
                }
            }
        }
        for shape in self["components"]?["schemas"]?.members ?? [] {
            guard let present = other["components"]?["schemas"]?[shape.name] else { continue }
            let old = shape.value["required"]?.elements ?? [], new = present["required"]?.elements ?? []
            let isAnswer = Self.answers.contains(shape.name)
            for case .string(let name) in new where !old.contains(.string(name)) && !isAnswer {
                breaks.append("\(shape.name) requires \(name)")
            }
            for case .string(let name) in old where !new.contains(.string(name)) && isAnswer {
                breaks.append("\(shape.name) may lack \(name)")
            }
        }
        return breaks
    }

    /// The names of shapes that are answers.
    private static let answers = Set(
        RouteName.allCases.flatMap { $0.route.answers.compactMap(\.shape?.rawValue) } + ["Problem"])
}
