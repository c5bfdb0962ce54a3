import Glibc
import Testing

/// TLS of the program itself, as curl and openssl see it.
@Suite(.timeLimit(.minutes(5))) struct EncryptionTests {
    private static let options = ["--tls-certificate", "cert.pem", "--tls-key", "key.pem"]

    /// Makes a certificate of this name for 127.0.0.1, in `cert.pem` and `key.pem`.
    private static func makeCertificate(_ name: String, in place: TemporaryPlace) async throws {
        let made = try await RunningServer.shell(
            """
            umask 077 && openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 \
            -subj /CN=\(name) -addext subjectAltName=IP:127.0.0.1 -keyout key.new -out cert.new \
            && mv key.new key.pem && mv cert.new cert.pem
            """, in: place)
        try #require(made.status == 0, "\(made.error)")
    }

    private static func server(_ place: TemporaryPlace) async throws -> RunningServer {
        try await makeCertificate("one", in: place)
        return try await RunningServer(
            place, "--tls-certificate", "\(place.path)/cert.pem", "--tls-key", "\(place.path)/key.pem")
    }

    /// The name in the certificate that a new connection gets.
    private static func name(_ server: RunningServer, _ place: TemporaryPlace) async throws -> String {
        let seen = try await RunningServer.shell(
            "openssl s_client -connect 127.0.0.1:\(server.port) </dev/null 2>/dev/null | openssl x509 -noout -subject",
            in: place)
        return String(seen.output.split(separator: "\n").first ?? "")
    }

    @Test func `TLS 1.3 and 1.2 with AEAD are served, and nothing below`() async throws {
        let place = try await TemporaryPlace.withStore()
        let server = try await Self.server(place)
        #expect(server.addresses[0].hasPrefix("https://127.0.0.1:"))
        for version in ["--tlsv1.3", "--tls-max 1.2"] {
            let answer = try await RunningServer.shell(
                "curl -si --cacert cert.pem \(version) \(server.addresses[0])/healthz", in: place)
            #expect(answer.status == 0 && answer.output.hasPrefix("HTTP/1.1 200 OK"), "\(answer)")
            #expect(answer.output.lowercased().contains("strict-transport-security: max-age="))
        }
        func handshake(_ options: String) async throws -> String {
            let attempt = try await RunningServer.shell(
                "openssl s_client -connect 127.0.0.1:\(server.port) \(options) </dev/null 2>&1", in: place)
            return attempt.output
        }
        for version in ["-tls1", "-tls1_1"] {
            let refused = try await handshake("\(version) -cipher DEFAULT@SECLEVEL=0")
            #expect(refused.contains("alert protocol version"), "\(refused)")
        }
        for cipher in ["ECDHE-ECDSA-AES128-SHA", "ECDHE-ECDSA-AES256-SHA", "ECDHE-ECDSA-AES128-SHA256"] {
            let refused = try await handshake("-tls1_2 -cipher \(cipher)@SECLEVEL=0")
            #expect(refused.contains("alert handshake failure"), "\(refused)")
        }
        let modern = try await handshake("-alpn h2,http/1.1")
        #expect(modern.contains("Cipher is TLS_") && modern.contains("ALPN protocol: http/1.1"), "\(modern)")
        // Plain HTTP gets no answer.
        let plain = try Connection(port: server.port)
        try plain.send("GET", "/healthz")
        try await plain.waitForEnd()
        server.send(SIGTERM)
        #expect(try await server.end() == 0)
    }

    @Test func `SIGHUP gives new connections the new certificate, and a bad one leaves the old in force`() async throws
    {
        let place = try await TemporaryPlace.withStore()
        let server = try await Self.server(place)
        #expect(try await Self.name(server, place) == "subject=CN = one")
        try await Self.makeCertificate("two", in: place)
        #expect(try await Self.name(server, place) == "subject=CN = one")
        server.send(SIGHUP)
        try await waitUntil { server.log.contains("new connections get the certificate that was just read") }
        #expect(try await Self.name(server, place) == "subject=CN = two")
        try place.write("-----BEGIN CERTIFICATE-----\nnonsense\n-----END CERTIFICATE-----\n", to: "cert.pem")
        server.send(SIGHUP)
        try await waitUntil { server.log.contains("the certificate was not read") }
        #expect(server.log.contains("cert.pem has no certificate in PEM"))
        #expect(try await Self.name(server, place) == "subject=CN = two")
    }

    @Test func `a key that all users may read, and one of another certificate, are refused`() async throws {
        let place = try await TemporaryPlace.withStore()
        try await Self.makeCertificate("one", in: place)
        let command = [
            try RunningServer.program(), "--database", place.store, "--port", "0", "--tls-certificate",
            "\(place.path)/cert.pem", "--tls-key", "\(place.path)/key.pem",
        ]
        chmod("\(place.path)/key.pem", 0o604)
        let open = try await RunningServer.run(command, in: place)
        #expect(open.status == 78)
        #expect(open.error.contains("Let only the user of the service read it: chmod o= \(place.path)/key.pem"))
        rename("\(place.path)/cert.pem", "\(place.path)/old.pem")
        try await Self.makeCertificate("two", in: place)
        rename("\(place.path)/old.pem", "\(place.path)/cert.pem")
        let other = try await RunningServer.run(command, in: place)
        #expect(other.status == 78 && other.error.contains("do not belong together"), "\(other)")
        try place.write("", to: "cert.pem")
        let empty = try await RunningServer.run(command, in: place)
        #expect(empty.status == 78 && empty.error.contains("has no certificate in PEM"), "\(empty)")
    }

    @Test func `the end does not wait for an encrypted client that sends nothing more`() async throws {
        let place = try await TemporaryPlace.withStore()
        let server = try await Self.server(place)
        let head = [
            "POST /v1/login HTTP/1.1", "Host: 127.0.0.1:\(server.port)", "Expect: 100-continue",
            "Content-Type: application/json", "Content-Length: 99", #"\r\n"#,
        ]
        .joined(separator: #"\r\n"#)
        let client = try RunningServer(
            [
                "/bin/sh", "-c",
                "(printf '\(head)'; exec sleep 50) | exec openssl s_client -quiet -connect 127.0.0.1:\(server.port)",
            ], in: place)
        try await waitUntil { client.output.contains("100 Continue") }
        server.send(SIGTERM)
        #expect(try await server.end() == 0)
    }
}
