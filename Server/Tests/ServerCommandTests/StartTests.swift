import ArgumentParser
import Glibc
import HTTPBounds
import ProfileServer
import Testing

@testable import profiles_server

/// How the program starts, and how it refuses to.
@Suite(.timeLimit(.minutes(5))) struct StartTests {
    @Test func `the program prints its address, and accepts requests from then on`() async throws {
        let server = try await RunningServer(try await .withStore())
        let line = /profiles-server accepts requests at http:\/\/127\.0\.0\.1:[1-9][0-9]*\n/
        #expect(server.output.wholeMatch(of: line) != nil)
        #expect(try await server.get("/healthz").status == 200)
        server.send(SIGTERM)
        #expect(try await server.end() == 0)
        #expect(server.log.split(separator: "\n").allSatisfy { $0.hasPrefix("{\"time\":\"") && $0.hasSuffix("}") })
    }

    @Test func `the environment names the store if no option does`() async throws {
        let place = try await TemporaryPlace.withStore()
        let server = try RunningServer(
            [RunningServer.program(), "--port", "0"], in: place, variables: ["PROFILES_DATABASE": place.store])
        try await waitUntil { server.output.hasSuffix("\n") || server.hasEnded }
        #expect(server.output.hasPrefix("profiles-server accepts requests"))
    }

    @Test func `the program has the version of the libraries, and its help lists the exit codes`() async throws {
        let place = try TemporaryPlace()
        let root = #filePath.split(separator: "/").dropLast(4).map { "/" + $0 }.joined()
        let source = TemporaryPlace.read(root + "/Sources/ProfileCore/ProgramVersion.swift")
        #expect(source.contains("static let number = \"\(ProgramVersion.number)\""))
        let program = try RunningServer.program()
        let version = try await RunningServer.run([program, "--version"], in: place)
        #expect(version == (0, ProgramVersion.number + "\n", ""))
        let help = try await RunningServer.run([program, "--help"], in: place)
        #expect(help.status == 0 && help.output.contains("Exit codes: 0 ended by a signal, 64 usage"))
    }

    /// Wrong options, the exit code, and what the message contains.
    private static let refusals: [([String], Int32, String)] = [
        (["--nope"], 64, "Unknown option '--nope'"),
        (["--port", "65536"], 64, "--port takes a number from 0 to 65535."),
        (["--port", "-1"], 64, "--port takes a number from 0 to 65535."),
        (["--port", "8081", "--admin-port", "8081"], 64, "--admin-port and --port must differ."),
        (["--host", "profiles.example"], 64, "'profiles.example' is invalid for '--host <address>'"),
        (["--host", "0.0.0.0", "--host-name", "a.example"], 64, "Give --tls-certificate and --tls-key, or --behind"),
        (["--host", "::", "--host-name", "a.example"], 64, "or listen on 127.0.0.1"),
        (["--host", "0.0.0.0", "--behind-proxy", "10.0.0.0/8"], 64, "Give them with --host-name."),
        (["--behind-proxy", "10.0.0.0/33"], 64, "invalid for '--behind-proxy <range>'"),
        (["--tls-key", "key.pem"], 64, "--tls-certificate and --tls-key need each other."),
        (["--host-name", "https://a.example"], 64, "--host-name takes a name"),
        (["--allow-origin", "*"], 64, "--allow-origin takes an origin"),
        (["--allow-origin", "https://a.example/"], 64, "--allow-origin takes an origin"),
        (["--body-limit", "1"], 64, "--body-limit takes"),
        (["--most-connections", "0"], 64, "--most-connections"),
        (["--log-level", "loud"], 64, "invalid for '--log-level"),
        (["--database", "nowhere.sqlite"], 66, "There is no store at"),
        (["--database", "/etc/hostname"], 65, "is not an SQLite database"),
        (["--database", "."], 65, "is a folder, not a store"),
        (["--database", "./"], 65, "is a folder, not a store"),
        (["--database", "/dev/null"], 65, "/dev/null is not a file, and so not a store"),
        (["--database", "POSTGRESQL://app:geheim@h/d"], 64, "Error: The place of the store looks like an address"),
        (["--tls-certificate", "none.pem", "--tls-key", "none.pem"], 66, "none.pem cannot be read: No such file"),
    ]

    @Test(arguments: refusals)
    func `wrong options end the program before it listens`(_ options: [String], status: Int32, text: String)
        async throws
    {
        let place = try TemporaryPlace()
        let outcome = try await RunningServer.run([RunningServer.program()] + options, in: place)
        #expect(outcome.status == status)
        #expect(outcome.output.isEmpty)
        #expect(outcome.error.hasPrefix("Error: ") && outcome.error.contains(text), "\(outcome.error)")
        // A missing store is not made.
        #expect(access("nowhere.sqlite", F_OK) != 0)
    }

    #if !Postgres
        @Test func `without the trait, a PostgreSQL store is refused as not supported`() async throws {
            let place = try TemporaryPlace()
            let outcome = try await RunningServer.run(
                [RunningServer.program(), "--database", "postgresql://app@127.0.0.1:1/profiles"], in: place)
            #expect(outcome.status == 78 && outcome.error.contains("does not support PostgreSQL"))
        }
    #endif

    @Test func `a port that another program uses is an error that says so`() async throws {
        let place = try await TemporaryPlace.withStore()
        let server = try await RunningServer(place)
        let outcome = try await RunningServer.run(
            [RunningServer.program(), "--database", place.store, "--port", "\(server.port)"], in: place)
        #expect(outcome.status == 69)
        #expect(outcome.output.isEmpty)
        #expect(outcome.error.contains("Error: Another program listens on 127.0.0.1:\(server.port)\n"))
    }

    @Test func `an address knows whether it is loopback, and which Host values are its own`() throws {
        for text in ["127.0.0.1", "localhost", "127.8.8.8", "::1", "[::1]"] {
            #expect(try #require(ListenAddress(argument: text)).isLoopback, "\(text)")
        }
        for text in ["0.0.0.0", "::", "192.0.2.7", "2001:db8::1", "::ffff:192.0.2.7"] {
            #expect(try !#require(ListenAddress(argument: text)).isLoopback, "\(text)")
        }
        let loopback = try #require(ListenAddress(argument: "localhost"))
        #expect(
            loopback.ownHosts(port: 8080, isEncrypted: false) == ["127.0.0.1:8080", "localhost:8080", "[::1]:8080"])
        let address = try #require(ListenAddress(argument: "2001:db8::1"))
        #expect(address.ownHosts(port: 443, isEncrypted: true) == ["[2001:db8::1]", "[2001:db8::1]:443"])
        #expect(try #require(ListenAddress(argument: "::")).ownHosts(port: 443, isEncrypted: true).isEmpty)
        let options = try ServerOptions.parse(["--host-name", "a.example", "--host-name", "b.example:444"])
        #expect(
            options.serviceOptions(ports: [1, 2]).hosts.prefix(4) == [
                "a.example", "a.example:1", "a.example:2", "b.example:444",
            ])
    }

    @Test func `the limit of connections leaves file descriptors for the store`() throws {
        let options = try ServerOptions.parse(["--most-connections", "1000"])
        #expect(options.bounds(fileLimit: 100_000).mostConnections == 1_000)
        #expect(options.bounds(fileLimit: 1_024).mostConnections == 1_024 - ServerOptions.otherFiles)
    }
}
