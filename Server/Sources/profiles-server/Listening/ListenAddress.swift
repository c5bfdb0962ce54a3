internal import ArgumentParser
internal import HTTPBounds

/// An address of this machine on which the service listens.
struct ListenAddress: ExpressibleByArgument, Hashable {
    /// The address as the system takes it.
    let text: String
    /// Whether only programs of this machine reach the address.
    let isLoopback: Bool
    /// Whether the address means all addresses of the machine.
    let isWildcard: Bool

    /// The default address.
    static let standard = ListenAddress(text: "127.0.0.1", isLoopback: true, isWildcard: false)

    var defaultValueDescription: String { text }

    private init(text: String, isLoopback: Bool, isWildcard: Bool) {
        self.text = text
        self.isLoopback = isLoopback
        self.isWildcard = isWildcard
    }

    /// Takes `localhost` or an address. Another name could belong to several addresses, and its addresses could change.
    init?(argument: String) {
        let isBracketed = argument.hasPrefix("[") && argument.hasSuffix("]")
        let inner = isBracketed ? String(argument.dropFirst().dropLast()) : argument
        let text = inner == "localhost" ? "127.0.0.1" : inner
        guard let address = ClientAddress(text) else { return nil }
        let loopback = ["127.0.0.0/8", "::1"].compactMap { AddressRange($0) }
        self.init(
            text: text, isLoopback: loopback.contains { $0.contains(address) },
            isWildcard: ["0.0.0.0", "::"].compactMap { ClientAddress($0) }.contains(address))
    }

    /// The address with a port, as it stands in a URL.
    func authority(port: Int) -> String { text.contains(":") ? "[\(text)]:\(port)" : "\(text):\(port)" }

    /// Returns the values of `Host` that need no `--host-name`: the address and, on a loopback address, `localhost` and
    /// the usual loopback addresses. A wildcard address has none.
    func ownHosts(port: Int, isEncrypted: Bool) -> [String] {
        let hosts = isLoopback ? ["127.0.0.1", "localhost", "[::1]"] : []
        let own = isWildcard ? [] : [text.contains(":") ? "[\(text)]" : text]
        return Self.hosts(hosts + own.filter { !hosts.contains($0) }, port: port, isEncrypted: isEncrypted)
    }

    /// Returns the values that `Host` may have for these names: with the port, and without it if it is the usual one.
    static func hosts(_ names: [String], port: Int, isEncrypted: Bool) -> [String] {
        names.flatMap { name in
            port == (isEncrypted ? 443 : 80) ? [name, "\(name):\(port)"] : ["\(name):\(port)"]
        }
    }
}
