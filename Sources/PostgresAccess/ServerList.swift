internal import CPQ
internal import Platform

/// The servers of a database and the connection settings. If there are several servers, one of them accepts writes.
///
/// Its text form is libpq's connection URI, `postgresql://user@one,two,three/profiles?sslmode=verify-full`. The URI
/// must not contain a password, because other users of the machine can see the arguments of a process. The password
/// comes from `PGPASSFILE`, `PGPASSWORD` or a service file.
package struct ServerList: Sendable {
    /// One server.
    package struct Server: Hashable, Sendable, CustomStringConvertible {
        let host: String?
        let hostAddress: String?
        let port: String?

        /// The host and port, for messages.
        package var description: String {
            let name = host ?? hostAddress ?? "local socket"
            return (name.contains(":") ? "[\(name)]" : name) + ":" + (port ?? "5432")
        }

        /// Whether the connection stays on this machine: a Unix socket, or a loopback address.
        var isLocal: Bool {
            let name = hostAddress ?? host ?? ""
            return name.isEmpty || name.hasPrefix("/") || name.hasPrefix("@") || name == "localhost" || name == "::1"
                || Self.isLoopback(name)
        }

        /// The text must be a valid address, because a host name may also begin with `127.`.
        private static func isLoopback(_ name: String) -> Bool {
            var address = in_addr()
            return name.hasPrefix("127.") && inet_pton(AF_INET, name, &address) == 1
        }
    }

    package let servers: [Server]
    /// libpq's settings that all servers share.
    let settings: [(keyword: String, value: String)]
    /// The maximum number of open connections (`connections`). Nil if the URI does not set it.
    package let connectionLimit: Int?
    /// Whether the URI sets `durability=local`. If so, a commit need not wait until its data is safe on another machine
    /// or on disk.
    package let isLocalDurabilityEnough: Bool
    /// The name of the database.
    package let database: String
    /// The schema that contains the tables. If it is nil, the server's default is used. The name consists of lower-case
    /// ASCII letters, digits and `_`, so SQL needs no quotes around it.
    package let schema: String?

    /// The settings in a URI that belong to this package and not to libpq.
    private static let ownKeywords = ["durability", "connections", "schema"]
    /// The allowed values of `connections`. The minimum is 2, because a bulk load uses two connections at the same time
    /// and copies rows over one of them.
    private static let connectionLimits = 2...1_000

    /// Parses a URI.
    ///
    /// - Throws: The problem of the URI.
    package init(_ uri: String) throws(ServerListError) {
        let (uri, own) = try Self.takingOutOwnSettings(of: uri)
        connectionLimit = try Self.connectionLimit(own["connections"])
        isLocalDurabilityEnough = try Self.isLocal(durability: own["durability"])
        var given = try Self.settings(of: uri)
        guard given["password"] == nil, given["sslpassword"] == nil else { throw .holdsPassword }
        // If the URI does not set the hosts or ports, they come from environment variables. When libpq connects, it
        // reads the variables of all other settings, except those that are set below, such as `options`.
        for name in ["host", "hostaddr", "port"] where given[name] == nil {
            given[name] = getenv("PG" + name.uppercased()).map { String(cString: $0) }
        }
        func list(_ name: String) -> [String] {
            given.removeValue(forKey: name)?.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
                ?? []
        }
        let (hosts, addresses, ports) = (list("host"), list("hostaddr"), list("port"))
        let serverCount = max(hosts.count, addresses.count, 1)
        guard [0, serverCount].contains(hosts.count), [0, serverCount].contains(addresses.count),
            [0, 1, serverCount].contains(ports.count)
        else { throw .unreadable("the lists of hosts and ports have different lengths") }
        servers = (0..<serverCount).map { index in
            func element(_ list: [String]) -> String? {
                let value = list.isEmpty ? "" : list[min(index, list.count - 1)]
                return value.isEmpty ? nil : value
            }
            return Server(host: element(hosts), hostAddress: element(addresses), port: element(ports))
        }
        var options = [Self.noticingTheEnd] + [given["options"]].compactMap(\.self)
        schema = own["schema"]
        if let schema {
            let isName = schema.utf8.allSatisfy { byte in
                (0x61...0x7A).contains(byte) || (0x30...0x39).contains(byte) || byte == UInt8(ascii: "_")
            }
            guard isName, let first = schema.utf8.first, !(0x30...0x39).contains(first) else {
                throw .unreadable("schema must be a name of lower-case letters, digits and _ without a leading digit")
            }
            options.append("-c search_path=\(schema)")
        }
        given["options"] = options.joined(separator: " ")
        given["target_session_attrs"] = given["target_session_attrs"] ?? "read-write"
        given["client_encoding"] = "UTF8"
        given["fallback_application_name"] = given["fallback_application_name"] ?? "profiles"
        database = given["dbname"] ?? ""
        settings = given.map { (keyword: $0, value: $1) }
    }

    /// With this option, the server checks the connection of a client every second. If the client has gone, the server
    /// ends the query. Without this option, the server ends the query only when it writes to the connection. The option
    /// needs PostgreSQL 14 on Linux. It does not end a `COMMIT` that is waiting for a standby.
    private static let noticingTheEnd = "-c client_connection_check_interval=1000"

    /// Returns whether a text begins with the scheme of a connection URI.
    package static func isURI(_ text: String) -> Bool {
        text.hasPrefix("postgresql://") || text.hasPrefix("postgres://")
    }

    /// The servers, the database and the schema, as a text for messages. All other settings are omitted.
    package var description: String {
        "postgresql://" + servers.map(\.description).joined(separator: ",") + (database.isEmpty ? "" : "/" + database)
            + (schema.map { "?schema=\($0)" } ?? "")
    }

    /// Returns libpq's settings for a connection to one server.
    func settings(for server: Server) -> [(keyword: String, value: String)] {
        var all = settings
        func add(_ keyword: String, _ value: String?) { if let value { all.append((keyword, value)) } }
        add("host", server.host)
        add("hostaddr", server.hostAddress)
        add("port", server.port)
        if !settings.contains(where: { $0.keyword == "sslmode" }), getenv("PGSSLMODE") == nil {
            add("sslmode", server.isLocal ? "prefer" : "verify-full")
        }
        return all
    }

    // MARK: Reading

    /// Removes the settings of this package from the URI, because libpq refuses settings that it does not know.
    private static func takingOutOwnSettings(
        of uri: String
    ) throws(ServerListError) -> (uri: String, own: [String: String]) {
        guard let mark = uri.firstIndex(of: "?") else { return (uri, [:]) }
        var own: [String: String] = [:]
        var others: [Substring] = []
        for setting in uri[uri.index(after: mark)...].split(separator: "&") {
            let parts = setting.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let keyword = parts.first, ownKeywords.contains(String(keyword)) else {
                if parts.count == 2, let keyword = parts.first { try requireKnown(keyword) }
                others.append(setting)
                continue
            }
            let value = parts.count == 2 ? String(parts[1]) : ""
            guard own.updateValue(value, forKey: String(keyword)) == nil else {
                throw .unreadable("\(keyword) is set twice")
            }
        }
        return (uri[..<mark] + (others.isEmpty ? "" : "?" + others.joined(separator: "&")), own)
    }

    private static func connectionLimit(_ text: String?) throws(ServerListError) -> Int? {
        guard let text else { return nil }
        guard let limit = Int(text), connectionLimits.contains(limit) else {
            throw .unreadable(
                "connections takes a number from \(connectionLimits.lowerBound) to \(connectionLimits.upperBound)")
        }
        return limit
    }

    private static func isLocal(durability: String?) throws(ServerListError) -> Bool {
        guard let durability else { return false }
        guard durability == "local" else { throw .unreadable("durability must be local if it is set") }
        return true
    }

    /// If a setting is unknown, throws an error that contains only the name of the setting. The message of libpq would
    /// contain the whole URI, and the URI may contain a password.
    private static func requireKnown(_ keyword: Substring) throws(ServerListError) {
        // A name with other characters may be percent-encoded. libpq decodes and checks such a name itself. Such a name
        // may contain a password, so it never appears in a message.
        guard keyword.utf8.allSatisfy({ (0x61...0x7A).contains($0) || $0 == UInt8(ascii: "_") }),
            !libraryKeywords.contains(String(keyword))
        else { return }
        throw .unreadable(
            "\(keyword) is not a setting of libpq, and not one of " + ownKeywords.joined(separator: ", "))
    }

    private static let libraryKeywords: Set<String> = {
        guard let options = PQconndefaults() else { return [] }
        defer { PQconninfoFree(options) }
        // libpq also accepts `ssl`, which is a setting of JDBC URIs.
        var keywords: Set = ["ssl"]
        var option = options
        while let keyword = option.pointee.keyword {
            keywords.insert(String(cString: keyword))
            option += 1
        }
        return keywords
    }()

    private static func settings(of uri: String) throws(ServerListError) -> [String: String] {
        var problem: UnsafeMutablePointer<CChar>?
        guard let options = PQconninfoParse(uri, &problem) else {
            defer { PQfreemem(problem) }
            // The message of libpq may repeat parts of the URI, such as a password.
            throw .unreadable(uri.contains("@") || uri.contains("?") ? "" : problem.map { String(cString: $0) } ?? "")
        }
        defer { PQconninfoFree(options) }
        var settings: [String: String] = [:]
        var option = options
        while let keyword = option.pointee.keyword {
            if let value = option.pointee.val { settings[String(cString: keyword)] = String(cString: value) }
            option += 1
        }
        return settings
    }
}

/// The reason why a text is not a usable URI.
package enum ServerListError: Error, Hashable, Sendable {
    /// The URI contains a password. Other users can read the arguments of a process.
    case holdsPassword
    case unreadable(String)
}
