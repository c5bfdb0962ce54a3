internal import ArgumentParser
internal import HTTPBounds
internal import Logging
internal import ProfileServer

/// The lowest level of the log's records.
enum LogLevel: String, ExpressibleByArgument, CaseIterable {
    case trace, debug, info, notice, warning, error, critical

    var level: Logger.Level { Logger.Level(rawValue: rawValue) ?? .info }
}

/// A range of addresses in the form of a command-line option.
struct ProxyRange: ExpressibleByArgument {
    let range: AddressRange

    init?(argument: String) {
        guard let range = AddressRange(argument) else { return nil }
        self.range = range
    }
}

/// The options of the addresses, names and connections of the service.
struct ServerOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            """
            Listen on this address of the machine. An address that is not loopback needs --tls-certificate and \
            --tls-key, or --behind-proxy.
            """, valueName: "address"))
    var host = ListenAddress.standard

    // A negative number is read as the value, so that the error says which numbers are allowed.
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Listen on this port; 0 chooses a free one.", valueName: "number"))
    var port = 8080

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            """
            Serve programs, which have access tokens, on this port. Then --port serves only people.
            """, valueName: "number"))
    var adminPort: Int?

    @Option(
        name: .customLong("host-name"),
        help: ArgumentHelp(
            """
            Answer to this name, such as profiles.example; may be repeated. The address itself and, on a loopback \
            address, localhost are always answered too. Requests with another Host are refused.
            """, valueName: "name"))
    var hostNames: [String] = []

    @Option(
        name: .customLong("allow-origin"),
        help: ArgumentHelp(
            "Let web pages of this origin, such as https://app.example, call the service with a token; may be repeated.",
            valueName: "origin"))
    var allowedOrigins: [String] = []

    @Flag(help: "Let anyone register a profile and read the rules.")
    var openRegistration = false

    @Option(
        help: ArgumentHelp("Encrypt with the certificate chain in this PEM file.", valueName: "file"),
        completion: .file())
    var tlsCertificate: String?

    @Option(
        help: ArgumentHelp(
            "Use the private key in this PEM file. Both files are read again at SIGHUP.", valueName: "file"),
        completion: .file())
    var tlsKey: String?

    @Option(
        name: .customLong("behind-proxy"),
        help: ArgumentHelp(
            """
            Trust X-Forwarded-For and X-Forwarded-Proto of proxies with these addresses, such as 10.0.0.0/8; may be \
            repeated.
            """, valueName: "range"))
    var proxies: [ProxyRange] = []

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Refuse request bodies of more than this size.", valueName: "bytes"))
    var bodyLimit = 65_536

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Accept at most this many connections at the same time.", valueName: "number"))
    var mostConnections = 8_192

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Accept at most this many connections of one IPv4 address or IPv6 /64, proxies excepted.",
            valueName: "number"))
    var mostConnectionsOfAddress = 256

    @Option(help: "Log records of this level and above.")
    var logLevel = LogLevel.info

    func validate() throws {
        for (option, port) in [("--port", port), ("--admin-port", adminPort ?? 0)] where !(0...65_535).contains(port) {
            throw ValidationError("\(option) takes a number from 0 to 65535.")
        }
        guard adminPort == nil || adminPort == 0 || adminPort != port else {
            throw ValidationError("--admin-port and --port must differ.")
        }
        guard (tlsCertificate == nil) == (tlsKey == nil) else {
            throw ValidationError("--tls-certificate and --tls-key need each other.")
        }
        guard (4_096...16_777_216).contains(bodyLimit) else {
            throw ValidationError("--body-limit takes 4096 to 16777216 bytes.")
        }
        guard (1...1_000_000).contains(mostConnections), (1...1_000_000).contains(mostConnectionsOfAddress) else {
            throw ValidationError("--most-connections and --most-connections-of-address take 1 to 1000000.")
        }
        if let name = hostNames.first(where: { !Self.isHost($0) }) {
            throw ValidationError("--host-name takes a name such as profiles.example or 192.0.2.7:8443; not '\(name)'.")
        }
        if let origin = allowedOrigins.first(where: { !Self.isOrigin($0) }) {
            throw ValidationError("--allow-origin takes an origin such as https://app.example; not '\(origin)'.")
        }
        try validateExposure()
    }

    private func validateExposure() throws {
        guard !host.isLoopback else { return }
        guard isEncrypted || !proxies.isEmpty else {
            throw ValidationError(
                """
                Passwords would cross the network in the clear on \(host.text). Give --tls-certificate and --tls-key, \
                or --behind-proxy with the address of a proxy that has the certificate, or listen on 127.0.0.1.
                """)
        }
        guard !host.isWildcard || !hostNames.isEmpty else {
            throw ValidationError("Clients reach \(host.text) under other names. Give them with --host-name.")
        }
    }

    private static func isHost(_ name: String) -> Bool {
        name.wholeMatch(of: /([A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(:[0-9]{1,5})?/) != nil
    }

    private static func isOrigin(_ origin: String) -> Bool {
        let parts = origin.split(separator: "://", maxSplits: 1)
        return parts.count == 2 && ["https", "http"].contains(parts[0].lowercased()) && isHost(String(parts[1]))
    }

    /// Whether the service itself encrypts.
    var isEncrypted: Bool { tlsCertificate != nil }

    /// The files of the certificate; nil without TLS.
    var certificateFiles: CertificateFiles? {
        guard let tlsCertificate, let tlsKey else { return nil }
        return CertificateFiles(certificate: tlsCertificate, key: tlsKey)
    }

    /// Returns the bounds of connections if the process may open this number of files. ``otherFiles`` of them are not
    /// used for connections.
    func bounds(fileLimit: Int) -> ConnectionBounds {
        ConnectionBounds(
            bodyLength: bodyLimit, mostConnections: min(mostConnections, max(1, fileLimit - Self.otherFiles)),
            mostConnectionsOfAddress: mostConnectionsOfAddress, exemptAddresses: proxies.map(\.range))
    }

    /// The number of files that the process may need besides connections.
    static let otherFiles = 128

    /// Returns the options of a service that listens on these ports.
    func serviceOptions(ports: [Int]) -> ServiceOptions {
        // If an option gives a name without a port, `Host` may contain this name with each port of the service. It may
        // also contain the name alone, because clients of a proxy send no port.
        let named = hostNames.flatMap { name in
            name.contains(/:[0-9]+$/) ? [name] : [name] + ports.map { "\(name):\($0)" }
        }
        let own = ports.flatMap { host.ownHosts(port: $0, isEncrypted: isEncrypted) }
        var options = ServiceOptions(hosts: named + own)
        options.transport =
            !proxies.isEmpty ? .behindProxy(proxies.map(\.range)) : isEncrypted ? .encrypted : .plain
        options.allowedOrigins = allowedOrigins
        options.opensRegistration = openRegistration
        options.bodyLimit = bodyLimit
        return options
    }
}
