internal import CPQ
internal import Platform

/// Where a database is: one server, or several of which one takes writes, and how to speak to them.
///
/// It is written as libpq's connection URI, `postgresql://user@one,two,three/profiles?sslmode=verify-full`. A password
/// does not stand in it, since others can read the arguments of a process: it comes from `PGPASSFILE`, `PGPASSWORD` or a
/// service.
package struct ServerList: Sendable {
    /// One server.
    package struct Server: Hashable, Sendable, CustomStringConvertible {
        let host: String?
        let hostAddress: String?
        let port: String?

        /// Host and port, for people.
        package var description: String {
            let name = host ?? hostAddress ?? "local socket"
            return (name.contains(":") ? "[\(name)]" : name) + ":" + (port ?? "5432")
        }

        /// Whether nobody else hears what is said: a Unix socket, or an address of this machine.
        var isLocal: Bool {
            let name = hostAddress ?? host ?? ""
            return name.isEmpty || name.hasPrefix("/") || name.hasPrefix("@") || name == "localhost" || name == "::1"
                || Self.isLoopback(name)
        }

        /// A name may begin with these digits too, and be anybody's.
        private static func isLoopback(_ name: String) -> Bool {
            var address = in_addr()
            return name.hasPrefix("127.") && inet_pton(AF_INET, name, &address) == 1
        }
    }

    package let servers: [Server]
    /// libpq's settings that all servers share.
    let settings: [(keyword: String, value: String)]
    /// The most connections that are open at once, from the setting `connections`; nil if the URI does not say.
    package let connectionLimit: Int?
    /// Whether the setting `durability=local` says that a commit need not be safe on another machine, nor on disk.
    package let isLocalDurabilityEnough: Bool
    /// The name of the database.
    package let database: String
    /// The schema in it that holds the tables; nil for the one that the server goes by. Lower-case ASCII letters, digits
    /// and `_`, so that it can stand in SQL as it is.
    package let schema: String?

    /// Our own settings that a URI may have.
    private static let ownKeywords = ["durability", "connections", "schema"]
    /// A bulk load keeps one connection beside the one that copies.
    private static let connectionLimits = 2...1_000

    /// Reads a URI.
    ///
    /// - Throws: What is wrong with it.
    package init(_ uri: String) throws(ServerListError) {
        let (uri, own) = try Self.takingOutOwnSettings(of: uri)
        connectionLimit = try Self.connectionLimit(own["connections"])
        isLocalDurabilityEnough = try Self.isLocal(durability: own["durability"])
        var given = try Self.settings(of: uri)
        guard given["password"] == nil, given["sslpassword"] == nil else { throw .holdsPassword }
        // What the URI leaves open comes from the environment, but for what is read when connecting.
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
        else { throw .unreadable("the lists of hosts and ports are not of one length") }
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
                throw .unreadable("schema takes a name of lower-case letters, digits and _ that begins with no digit")
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

    /// A query for which nobody waits any more ends within a second, rather than when it next writes (PostgreSQL 14, on
    /// Linux). A `COMMIT` that waits for a standby is not among them.
    private static let noticingTheEnd = "-c client_connection_check_interval=1000"

    /// Whether a text is meant as such a URI.
    package static func isURI(_ text: String) -> Bool {
        text.hasPrefix("postgresql://") || text.hasPrefix("postgres://")
    }

    /// For people: which servers and which database, without what belongs to nobody else.
    package var description: String {
        "postgresql://" + servers.map(\.description).joined(separator: ",") + (database.isEmpty ? "" : "/" + database)
            + (schema.map { "?schema=\($0)" } ?? "")
    }

    /// What a connection to one server is opened with.
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

    /// libpq refuses what it does not know, so our own settings are taken out of the query before.
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
                throw .unreadable("\(keyword) is there twice")
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
        guard durability == "local" else { throw .unreadable("durability takes local, or is left out") }
        return true
    }

    /// libpq refuses an unknown setting too, in words that repeat the URI and with it a password.
    private static func requireKnown(_ keyword: Substring) throws(ServerListError) {
        // libpq decodes what is percent-encoded. A name of other characters may be anything, so it is not repeated.
        guard keyword.utf8.allSatisfy({ (0x61...0x7A).contains($0) || $0 == UInt8(ascii: "_") }),
            !libraryKeywords.contains(String(keyword))
        else { return }
        throw .unreadable(
            "\(keyword) is no setting; besides libpq's there are " + ownKeywords.joined(separator: ", "))
    }

    private static let libraryKeywords: Set<String> = {
        guard let options = PQconndefaults() else { return [] }
        defer { PQconninfoFree(options) }
        // Of JDBC's URIs, which libpq takes too.
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
            // Its words repeat parts of the URI, and with them a password that should not be there.
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

/// Why a text does not say where a database is.
package enum ServerListError: Error, Hashable, Sendable {
    /// Anybody can read the arguments of a process.
    case holdsPassword
    case unreadable(String)
}
