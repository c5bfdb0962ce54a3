import HTTPBounds
import NIOSSL
import Testing

/// Tests the guard on TLS connections, where the bytes on the socket are encrypted.
@Suite(.timeLimit(.minutes(5)))
struct GuardedTLSTests {
    private func client() throws -> NIOSSLContext {
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.certificateVerification = .none
        return try NIOSSLContext(configuration: configuration)
    }

    private func server() throws -> TLSConfiguration {
        let certificates = try NIOSSLCertificate.fromPEMBytes(Array(Self.certificate.utf8))
        return .makeServerConfiguration(
            certificateChain: certificates.map { .certificate($0) },
            privateKey: .privateKey(try NIOSSLPrivateKey(bytes: Array(Self.key.utf8), format: .pem)))
    }

    private let get = "GET /constant HTTP/1.1\r\nHost: localhost\r\n\r\n"

    @Test
    func `Answers, refusals and early answers arrive, and TLS ends properly`() async throws {
        let context = try client()
        try await TestServer.run(ConnectionBounds(lingerTime: .milliseconds(300)), tls: try server()) { server in
            try await RawClient.run(server, tls: context) { client in
                try await client.send(get + get + "GET / HTTP/1.1\r\n\r\n")
                let (text, end) = await client.receiveAll()
                #expect(text.statuses == ["200", "200", "400"] && end == .closed)
            }
            try await RawClient.run(server, tls: context) { client in
                try await client.send("POST /early HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100000\r\n\r\nx")
                let (text, end) = await client.receiveAll()
                #expect(text.statuses == ["413"] && text.hasSuffix("early") && end == .closed)
            }
            try await RawClient.run(server, tls: context) { client in
                try await client.send("GET /large HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
                let (text, end) = await client.receiveAll()
                #expect(text.utf8.count > 32 << 20 && end == .closed)
            }
        }
    }

    @Test
    func `Connections without a handshake, with a slow head or without a request are closed`() async throws {
        let bounds = ConnectionBounds(
            headTime: .seconds(2), idleTime: .milliseconds(200), lingerTime: .milliseconds(300))
        let context = try client()
        try await TestServer.run(bounds, tls: try server()) { server in
            try await RawClient.run(server) { client in
                let (text, end) = await client.receiveAll()
                #expect(text.isEmpty && end == .closed)
            }
            try await RawClient.run(server, tls: context) { client in
                try await client.send("GET / HT")
                let (text, end) = await client.receiveAll()
                #expect(text.statuses == ["408"] && end == .closed)
            }
            try await RawClient.run(server, tls: context) { client in
                try await client.send(get)
                let (text, end) = await client.receiveAll()
                #expect(text.statuses == ["200"] && end == .closed)
            }
        }
    }

    @Test
    func `Shutting down ends an idle connection at once`() async throws {
        let context = try client()
        try await TestServer.run(ConnectionBounds(), tls: try server()) { server in
            try await RawClient.run(server, tls: context) { client in
                try await client.send(get)
                _ = try await client.receive { $0.hasSuffix("constant") }
                await server.shutDown()
                #expect(await client.receiveAll().end == .closed)
            }
        }
    }

    @Test
    func `A client that does not read is cut off`() async throws {
        let context = try client()
        let bounds = ConnectionBounds(writeTime: .milliseconds(300))
        try await TestServer.run(bounds, tls: try server()) { server in
            // The client reads until the handshake is done, which the first answer shows.
            try await RawClient.run(server, tls: context) { client in
                try await client.send(get)
                _ = try await client.receive { $0.hasSuffix("constant") }
                try await client.stopReading()
                try await client.send("GET /large HTTP/1.1\r\nHost: localhost\r\n\r\n")
                while server.counter.count > 0 { try await poll() }
            }
        }
    }

    /// A certificate of localhost that signs itself, for these tests only.
    private static let certificate = """
        -----BEGIN CERTIFICATE-----
        MIIBfzCCASWgAwIBAgIUTQD26mZxbRQaVbion2TlSdMRPyowCgYIKoZIzj0EAwIw
        FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTEyNzA3MDc0OVoYDzIxMjYxMTAz
        MDcwNzQ5WjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO
        PQMBBwNCAAQ2hhG0EZXa8zNtousdF06AQhabDddznHAVdDVUSIryAxMVwYVlvmSm
        iqD2JXg8sdI5swztBZNKeuWWn+zQy7lKo1MwUTAdBgNVHQ4EFgQUTeLp5Z8bQQa3
        c7t+LqZVHv2balYwHwYDVR0jBBgwFoAUTeLp5Z8bQQa3c7t+LqZVHv2balYwDwYD
        VR0TAQH/BAUwAwEB/zAKBggqhkjOPQQDAgNIADBFAiARHQ5fPAr+3NRx8GSQHxcr
        nMzNgbVetAzc6sxO/8cZTQIhAIq/X+LzoAIfMzUjgjj+L71QQ8q+f6Nu1Lzf5ssm
        nUu0
        -----END CERTIFICATE-----
        """

    private static let key = """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgcrUTLAom5w8K9Hdq
        6mw4YKD5OxRQaf9F3WoUKygk0IyhRANCAAQ2hhG0EZXa8zNtousdF06AQhabDddz
        nHAVdDVUSIryAxMVwYVlvmSmiqD2JXg8sdI5swztBZNKeuWWn+zQy7lK
        -----END PRIVATE KEY-----
        """
}
