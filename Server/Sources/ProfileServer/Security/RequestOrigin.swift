internal import HTTPBounds
internal import HTTPTypes
internal import NIOCore

/// Where a request comes from, as far as it can be trusted.
struct RequestOrigin: Sendable {
    /// The address of the client; nil in tests without a socket.
    let address: ClientAddress?
    let isEncrypted: Bool

    /// - Parameters:
    ///   - peer: The other end of the connection.
    ///   - headers: The headers of the request. `X-Forwarded-For` and `X-Forwarded-Proto` count only if the peer is one of
    ///     the proxies of `transport`.
    ///   - transport: How requests come.
    init(_ peer: SocketAddress?, _ headers: HTTPFields, _ transport: ServiceOptions.Transport) {
        let peer = peer?.ipAddress.flatMap(ClientAddress.init)
        switch transport {
        case .plain:
            address = peer
            isEncrypted = false
        case .encrypted:
            address = peer
            isEncrypted = true
        case .behindProxy(let proxies):
            guard let peer, proxies.contains(where: { $0.contains(peer) }) else {
                address = peer
                isEncrypted = false
                return
            }
            address = Self.client(headers[values: .xForwardedFor], peer, proxies)
            // The last value is the one of the proxy next to this service.
            isEncrypted =
                headers[values: .xForwardedProto].joined(separator: ",").split(separator: ",").last?
                .drop { $0 == " " }.lowercased() == "https"
        }
    }

    /// Reads the addresses from the right, where the nearest proxy has written, up to the first one that is no proxy of
    /// ours: whatever stands before it, the client may have invented.
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
