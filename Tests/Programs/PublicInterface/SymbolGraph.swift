import Foundation

/// The symbol graph of one module's public declarations, as `swift-symbolgraph-extract` writes it.
struct SymbolGraph: Decodable {
    let symbols: [Symbol]
    let relationships: [Relationship]

    struct Symbol: Decodable {
        let identifier: Identifier
        let pathComponents: [String]
        let declarationFragments: [Fragment]?
        let docComment: Comment?

        struct Identifier: Decodable { let precise: String }
        struct Fragment: Decodable { let spelling: String }
        struct Comment: Decodable {}
    }

    struct Relationship: Decodable {
        let kind: String
        let source: String
        let targetFallback: String?
        /// Is present if the source implements a requirement of a protocol.
        let sourceOrigin: Origin?

        struct Origin: Decodable {}
    }
}

extension SymbolGraph.Symbol {
    /// The name with the names of the enclosing types: `ProfileQuery.Order.init(_:isDescending:)`.
    var path: String { pathComponents.joined(separator: ".") }

    /// As it is declared, on one line.
    var declaration: String {
        (declarationFragments ?? []).map(\.spelling).joined().split(whereSeparator: \.isWhitespace)
            .joined(separator: " ")
    }

    /// Whether the type inherits the symbol from a protocol extension, such as `!=`.
    var isSynthesized: Bool { identifier.precise.contains("::SYNTHESIZED::") }
}
