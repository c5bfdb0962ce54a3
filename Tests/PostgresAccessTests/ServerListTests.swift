import Platform
@testable import PostgresAccess
import Testing
import Watchdog

@Suite(.watched) struct ServerListTests {
    @Test func `a list of servers is read, each with its port`() throws {
        let list = try ServerList("postgresql://app@one:5601,two,[::1]:5603/profiles?sslmode=require")
        #expect(list.servers.map(\.description) == ["one:5601", "two:5432", "[::1]:5603"])
        #expect(list.database == "profiles")
        #expect(list.description == "postgresql://one:5601,two:5432,[::1]:5603/profiles")
        let settings = list.settings(for: list.servers[0])
        func setting(_ keyword: String) -> [String] { settings.filter { $0.keyword == keyword }.map(\.value) }
        #expect(setting("host") == ["one"])
        #expect(setting("port") == ["5601"])
        #expect(setting("user") == ["app"])
        #expect(setting("sslmode") == ["require"])
        #expect(setting("target_session_attrs") == ["read-write"])
        #expect(setting("client_encoding") == ["UTF8"])
    }

    @Test(arguments: [
        ("postgresql://a,b:1,c:3/d", ["a:5432", "b:1", "c:3"]),
        ("postgresql://a,b/d?port=7", ["a:7", "b:7"]),
        ("postgresql:///d?host=/run/postgresql&port=5433", ["/run/postgresql:5433"]),
        ("postgresql:///d?hostaddr=127.0.0.1", ["127.0.0.1:5432"]),
    ])
    func `hosts and ports are told apart`(uri: String, servers: [String]) throws {
        #expect(try ServerList(uri).servers.map(\.description) == servers)
    }

    @Test(arguments: [
        "postgresql://app:geheim@host/db", "postgresql://app@host/db?password=geheim",
        "postgresql://app@host/db?pass%77ord=geheim", "postgresql://app@host/db?sslpassword=geheim",
    ])
    func `E7: a password in a URI is refused`(uri: String) {
        #expect(throws: ServerListError.holdsPassword) { try ServerList(uri) }
    }

    @Test(arguments: [
        "postgresql://app:geheim@host/db?nothing=1", "postgresql://host/db?password=%zzgeheim",
        "postgresql://app:geheim@host:1,2,3/db?port=1,2", "postgresql://app:geheim@[::1", "postgresql://%zzgeheim",
    ])
    func `E7: no error repeats a password`(uri: String) {
        let error = #expect(throws: ServerListError.self) { try ServerList(uri) }
        #expect(error != nil)
        if uri.contains(":geheim@") || uri.contains("password") { #expect(!"\(error as Any)".contains("geheim")) }
    }

    @Test(arguments: [
        "postgresql://a,b,c/d?port=1,2", "postgresql://a/d?nothing=1", "postgresql://a/d?hostaddr=1.2.3.4,5.6.7.8",
    ])
    func `a URI that cannot be read is refused`(uri: String) {
        #expect(throws: ServerListError.self) { try ServerList(uri) }
    }

    @Test func `our own settings are taken out, and others left as they are`() throws {
        let list = try ServerList(
            "postgresql://app@h/db?durability=local&options=-csearch_path%3Dmine&connections=8")
        #expect(list.isLocalDurabilityEnough && list.connectionLimit == 8)
        #expect(list.settings.contains { $0.keyword == "options" && $0.value.hasSuffix(" -csearch_path=mine") })
        let plain = try ServerList("postgresql://h/db")
        #expect(!plain.isLocalDurabilityEnough && plain.connectionLimit == nil)
    }

    @Test(arguments: [
        ("durability=locl", "durability must be local if it is set"),
        ("durability", "durability must be local if it is set"),
        ("durability=", "durability must be local if it is set"),
        ("connections=abc", "connections takes a number from 2 to 1000"),
        ("connections=", "connections takes a number from 2 to 1000"),
        ("connections=0", "connections takes a number from 2 to 1000"),
        ("connections=-3", "connections takes a number from 2 to 1000"),
        ("connections=1", "connections takes a number from 2 to 1000"),
        ("connections=1001", "connections takes a number from 2 to 1000"),
        ("connections=8&connections=9", "connections is set twice"),
        ("durability=local&durability=local", "durability is set twice"),
        ("schema=a&schema=b", "schema is set twice"),
        ("schema=", "schema must be a name of lower-case letters, digits and _ without a leading digit"),
        ("durabilty=local", "durabilty is not a setting of libpq, and not one of durability, connections, schema"),
    ])
    func `E2: a setting of our own that is not valid is refused, and the error says what is accepted`(
        setting: String, words: String
    ) {
        #expect(throws: ServerListError.unreadable(words)) { try ServerList("postgresql://h/db?\(setting)") }
    }

    @Test(arguments: [
        ("postgresql://localhost/d", "prefer"), ("postgresql://127.0.0.1/d", "prefer"),
        ("postgresql://[::1]/d", "prefer"),
        ("postgresql:///d?host=/run/postgresql", "prefer"), ("postgresql://db.example/d", "verify-full"),
        ("postgresql://127.evil.example/d", "verify-full"), ("postgresql://localhost.evil.example/d", "verify-full"),
        ("postgresql://localhost/d?hostaddr=10.0.0.1", "verify-full"),
        ("postgresql://db.example/d?sslmode=disable", "disable"),
    ])
    func `a server needs a valid certificate, unless it is this machine or the URI sets sslmode`(
        uri: String, mode: String
    ) throws {
        let list = try ServerList(uri)
        #expect(list.settings(for: list.servers[0]).filter { $0.keyword == "sslmode" }.map(\.value) == [mode])
    }

    @Test func `a URI is recognised by its scheme`() {
        #expect(ServerList.isURI("postgresql://a/b"))
        #expect(ServerList.isURI("postgres://a/b"))
        #expect(!ServerList.isURI("profiles.db"))
        #expect(!ServerList.isURI("./postgresql"))
    }
}
