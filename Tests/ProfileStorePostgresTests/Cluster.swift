import Dispatch
import Platform
import ProfileTesting
import Testing

/// Three servers with quorum commit and automatic failover, which `Tests/Programs/Cluster/postgres-cluster` has started and breaks;
/// `PROFILES_TEST_CLUSTER` is their URI.
enum Cluster {
    static let uri = getenv("PROFILES_TEST_CLUSTER").map { String(cString: $0) }

    /// How many faults of the leader there are in a test, one after another: `PROFILES_TEST_FAULTS`, three by default.
    static let faults = getenv("PROFILES_TEST_FAULTS").flatMap { Int(String(cString: $0)) } ?? 3

    /// The number of a node: 1, 2 or 3.
    typealias Node = Int

    static let nodes: [Node] = [1, 2, 3]

    /// The URI with the servers in another order.
    static func uri(_ order: [Node]) throws -> String {
        let parts = try #require(uri).split(separator: "@", maxSplits: 1)
        let rest = try #require(parts.last).split(separator: "/", maxSplits: 1)
        let hosts = try #require(rest.first).split(separator: ",")
        return "\(parts[0])@\(order.map { hosts[$0 - 1] }.joined(separator: ","))/\(rest[1])"
    }

    /// The URI of one node, whatever it does now.
    static func uri(of node: Node) throws -> String {
        try uri([node]).split(separator: "?")[0] + "?target_session_attrs=any"
    }

    /// Runs the script, and returns what it prints; nil where it says no.
    static func run(_ words: String...) async throws -> String? {
        let folder = try TemporaryFolder("cluster")
        let output = folder.path + "/output"
        let script =
            String(#filePath.split(separator: "/Tests/ProfileStorePostgresTests/")[0])
            + "/Tests/Programs/Cluster/postgres-cluster"
        let process = try ChildProcess(
            [script] + words, streams: [1: .file(output, flags: O_WRONLY | O_CREAT | O_TRUNC)])
        let code = await process.end()
        let text = SmallFile.text(of: output) ?? ""
        return code == 0 ? String(text.split(separator: "\n").first ?? "") : nil
    }

    /// Does something to a node.
    static func run(_ verb: String, _ node: Node) async throws {
        try #require(await run(verb, String(node)) != nil, "\(verb) \(node)")
    }

    /// The node that takes writes.
    static func leader() async throws -> Node {
        while true {
            if let leader = try await run("leader").flatMap({ Node($0) }) { return leader }
            try await Task.sleep(for: .milliseconds(200))
        }
    }

    /// Waits until all nodes are well.
    static func waitUntilWhole() async throws { try #require(await run("whole") != nil, "The cluster is not whole.") }

    /// A fault of the leader, and how it is mended.
    enum Fault: CaseIterable {
        case serverKilled, nodeKilled, frozen

        func happens(to node: Node) async throws {
            switch self {
            case .serverKilled: try await Cluster.run("kill", node)
            case .nodeKilled: try await Cluster.run("killnode", node)
            case .frozen: try await Cluster.run("freeze", node)
            }
        }

        func isMended(on node: Node) async throws {
            switch self {
            case .serverKilled: break
            case .nodeKilled: try await Cluster.run("start", node)
            case .frozen: try await Cluster.run("thaw", node)
            }
        }
    }
}

extension ChildProcess {
    /// Waits for the end of the process, and returns its exit code.
    func end() async -> Int32 {
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async { continuation.resume(returning: self.wait()) }
        }
    }
}

extension Trait where Self == ConditionTrait {
    /// For tests that need several servers.
    static var onlyWithCluster: ConditionTrait {
        .enabled(if: Cluster.uri != nil, "PROFILES_TEST_CLUSTER names no servers.")
    }
}
