import Foundation

/// What the compiler says of one module's public declarations, as `swift-symbolgraph-extract` writes it.
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
        /// There for what a protocol demands.
        let sourceOrigin: Origin?

        struct Origin: Decodable {}
    }
}

extension SymbolGraph.Symbol {
    /// Its name in its types: `ProfileQuery.Order.init(_:isDescending:)`.
    var path: String { pathComponents.joined(separator: ".") }

    /// As it is declared, on one line.
    var declaration: String {
        (declarationFragments ?? []).map(\.spelling).joined().split(whereSeparator: \.isWhitespace)
            .joined(separator: " ")
    }

    /// What the standard library adds to every type of a kind, such as `!=`.
    var isSynthesized: Bool { identifier.precise.contains("::SYNTHESIZED::") }
}
