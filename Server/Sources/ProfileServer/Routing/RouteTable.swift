internal import HTTPTypes

/// Finds the route of a request.
struct RouteTable: Sendable {
    private let root: Node

    /// A place in the tree of paths.
    private struct Node: Sendable {
        var literals: [String: Node] = [:]
        var parameter: (name: String, node: Box)?
        var profile: Box?
        var routes: [Route] = []

        mutating func add(_ route: Route, _ parts: ArraySlice<PathTemplate.Part>) {
            guard let part = parts.first else { return routes.append(route) }
            let rest = parts.dropFirst()
            switch part {
            case .literal(let text): literals[text, default: Node()].add(route, rest)
            case .parameter(let name):
                var node = parameter?.node.node ?? Node()
                node.add(route, rest)
                parameter = (name, Box(node))
            case .profile:
                var node = profile?.node ?? Node()
                node.add(route, rest)
                profile = Box(node)
            }
        }
    }

    private final class Box: Sendable {
        let node: Node
        init(_ node: Node) { self.node = node }
    }

    init(_ routes: [Route]) {
        var root = Node()
        for route in routes { root.add(route, route.path.parts[...]) }
        self.root = root
    }

    /// What a path leads to.
    struct Match: Sendable {
        /// The routes of the path, one for each method.
        let routes: [Route]
        let parameters: PathParameters
    }

    /// Finds the routes of a path, whose segments are decoded. A path is compared as it was sent: neither `//` nor a
    /// slash at the end means the same as the path without it.
    func match(_ segments: [String]) -> Match? {
        var node = root
        var parameters = PathParameters()
        var index = segments.startIndex
        while index < segments.endIndex {
            let segment = segments[index]
            if let next = node.literals[segment] {
                node = next
            } else if let profile = node.profile, !segment.isEmpty {
                let hasID = segment == "by-id" && index + 1 < segments.endIndex
                if hasID { index += 1 }
                parameters.profile = hasID ? .id(Int64(segments[index])) : .name(segment)
                node = profile.node
            } else if let parameter = node.parameter, !segment.isEmpty {
                parameters.values.append((parameter.name, segment))
                node = parameter.node.node
            } else {
                return nil
            }
            index += 1
        }
        return node.routes.isEmpty ? nil : Match(routes: node.routes, parameters: parameters)
    }
}

/// The parts of a request's path for which its route has names.
struct PathParameters: Sendable {
    fileprivate(set) var profile: ProfileKey?
    fileprivate(set) var values: [(name: String, value: String)] = []

    subscript(name: String) -> String? { values.first { $0.name == name }?.value }
}

/// How a path names a profile.
enum ProfileKey: Hashable, Sendable {
    case name(String)
    /// Nil if the text is not a number, so that no profile has this id.
    case id(Int64?)
}
