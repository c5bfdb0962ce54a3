internal import HTTPBounds
internal import HTTPTypes
internal import NIOCore

/// The address of a request's client, and whether the request was encrypted. Headers count only if a trusted proxy sent
/// them. Few routes need these values, so they are computed at each access.
struct RequestOrigin: Sendable {
    private let peer: SocketAddress?
    private let headers: HTTPFields
    private let transport: ServiceOptions.Transport

    /// - Parameters:
    ///   - peer: The other end of the connection.
    ///   - headers: The headers of the request. `X-Forwarded-For` and `X-Forwarded-Proto` count only if the peer is one of
    ///     the proxies of `transport`.
    ///   - transport: How requests are encrypted, and the ranges of the trusted proxies.
    init(_ peer: SocketAddress?, _ headers: HTTPFields, _ transport: ServiceOptions.Transport) {
        self.peer = peer
        self.headers = headers
        self.transport = transport
    }

    /// The address of the client; nil in tests without a socket.
    var address: ClientAddress? {
        guard let peerAddress else { return nil }
        guard let proxies = proxies(with: peerAddress) else { return peerAddress }
        return Self.client(headers[values: .xForwardedFor], peerAddress, proxies)
    }

    /// Whether the request reached this service, or the proxy before it, encrypted.
    var isEncrypted: Bool {
        if case .encrypted = transport { return true }
        guard let peerAddress, proxies(with: peerAddress) != nil else { return false }
        // The last value is the one of the proxy next to this service.
        return headers[values: .xForwardedProto].joined(separator: ",").split(separator: ",").last?
            .drop { $0 == " " }.lowercased() == "https"
    }

    private var peerAddress: ClientAddress? { peer?.ipAddress.flatMap(ClientAddress.init) }

    /// The proxies of the service; nil if this address is not one of them.
    private func proxies(with address: ClientAddress) -> [AddressRange]? {
        guard case .behindProxy(let proxies) = transport, proxies.contains(where: { $0.contains(address) }) else {
            return nil
        }
        return proxies
    }

    /// Reads the addresses from the right, where the nearest proxy has written. Stops at the first address that is not
    /// a proxy of this service, because the client may have invented the addresses to the left of it.
    private static func client(
        _ forwarded: [String], _ peer: ClientAddress, _ proxies: [AddressRange]
    ) -> ClientAddress {
        var client = peer
        for text in forwarded.joined(separator: ",").split(separator: ",").reversed() {
            guard let address = ClientAddress(String(text.drop { $0 == " " }.prefix { $0 != " " })) else { break }
            client = address
            guard proxies.contains(where: { $0.contains(address) }) else { break }
        }
        return client
    }
}
