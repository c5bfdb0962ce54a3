internal import HTTPTypes

/// Finds the route of a request.
struct RouteTable: Sendable {
    private let root: Node

    /// A place in the tree of paths.
    private final class Node: Sendable {
        let literals: [String: Node]
        let parameter: (name: String, node: Node)?
        let profile: Node?
        let path: ServedPath?

        /// - Parameter routes: The routes below this place, each with the rest of its path.
        init(_ routes: [(route: Route, rest: ArraySlice<PathTemplate.Part>)]) {
            var own: [Route] = []
            var literals: [String: [(Route, ArraySlice<PathTemplate.Part>)]] = [:]
            var parameter: (name: String, routes: [(Route, ArraySlice<PathTemplate.Part>)])?
            var profile: [(Route, ArraySlice<PathTemplate.Part>)] = []
            for (route, parts) in routes {
                let rest = parts.dropFirst()
                switch parts.first {
                case nil: own.append(route)
                case .literal(let text): literals[text, default: []].append((route, rest))
                case .parameter(let name): parameter = (name, (parameter?.routes ?? []) + [(route, rest)])
                case .profile: profile.append((route, rest))
                }
            }
            self.literals = literals.mapValues { Node($0) }
            self.parameter = parameter.map { ($0.name, Node($0.routes)) }
            self.profile = profile.isEmpty ? nil : Node(profile)
            path = own.isEmpty ? nil : ServedPath(own)
        }
    }

    init(_ routes: [Route]) { root = Node(routes.map { ($0, $0.path.parts[...]) }) }

    /// The routes of a request's path, and the values of its parameters.
    struct Match: Sendable {
        let path: ServedPath
        let parameters: PathParameters
    }

    /// Finds the routes of a path, whose segments are decoded. Empty segments are not ignored, so a path with `//` or
    /// with a slash at its end has no route.
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
                node = profile
            } else if let parameter = node.parameter, !segment.isEmpty {
                parameters.values.append((parameter.name, segment))
                node = parameter.node
            } else {
                return nil
            }
            index += 1
        }
        return node.path.map { Match(path: $0, parameters: parameters) }
    }
}

/// A path with its routes, one for each method.
final class ServedPath: Sendable {
    let template: String
    /// The methods that the path allows.
    let methods: [HTTPRequest.Method]
    private let routes: [Route]

    /// - Parameter routes: The routes, at least one.
    fileprivate init(_ routes: [Route]) {
        self.routes = routes
        template = routes[0].path.text
        methods = routes.flatMap { $0.method == .get ? [.get, .head] : [$0.method] }
    }

    /// The route that answers a method.
    func route(of method: HTTPRequest.Method) -> Route? {
        let wanted = method == .head ? .get : method
        return routes.first { $0.method == wanted }
    }
}

/// The values of the parameters in a request's path.
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
