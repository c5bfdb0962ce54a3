internal import Synchronization

/// Counts the open connections, in total and for each address.
public final class ConnectionCounter: Sendable {
    private struct Counts {
        var all = 0
        var ofAddress: [ClientAddress: Int] = [:]
    }

    private let counts = Mutex(Counts())

    public init() {}

    /// The number of open connections.
    public var count: Int { counts.withLock { $0.all } }

    /// The number of addresses for which connections are counted.
    var addressCount: Int { counts.withLock { $0.ofAddress.count } }

    /// Counts a connection unless there are too many. `closed(_:)` must follow exactly once if the result is not `nil`.
    func opened(from address: ClientAddress?, _ bounds: ConnectionBounds) -> CountedConnection? {
        let key = address.flatMap { address in
            bounds.exemptAddresses.contains { $0.contains(address) } ? nil : address.key
        }
        return counts.withLock { counts in
            guard counts.all < bounds.mostConnections else { return nil }
            if let key {
                let ofAddress = counts.ofAddress[key, default: 0]
                guard ofAddress < bounds.mostConnectionsOfAddress else { return nil }
                counts.ofAddress[key] = ofAddress + 1
            }
            counts.all += 1
            return CountedConnection(key: key)
        }
    }

    func closed(_ connection: CountedConnection) {
        counts.withLock { counts in
            counts.all -= 1
            guard let key = connection.key, let ofAddress = counts.ofAddress[key] else { return }
            counts.ofAddress[key] = ofAddress > 1 ? ofAddress - 1 : nil
        }
    }
}

/// A connection that is counted until `closed(_:)`. `key` is nil if the address is exempt or unknown.
struct CountedConnection: Sendable {
    let key: ClientAddress?
}
