import Glibc
import Logging
import ProfileCore
import ProfileStore
import Testing

@testable import profiles_server

/// The log and the metrics of the program.
@Suite(.timeLimit(.minutes(5))) struct ObservingTests {
    @Test func `the metrics count the requests and the operations on the store`() async throws {
        let place = try await TemporaryPlace.withStore()
        let server = try await RunningServer(place)
        for _ in 0..<3 {
            let path = "/v1/profiles/\(TemporaryPlace.canaries[0])"
            #expect(try await server.get(path, token: place.token).status == 200)
        }
        let answer = try await server.get("/metrics", token: place.token)
        #expect(answer.status == 200)
        let lines = answer.body.split(separator: "\n")
        #expect(
            lines.contains(#"http_requests_total{method="GET",route="/v1/profiles/{key}",status="200"} 3"#),
            "\(answer.body)")
        #expect(lines.contains(#"profiles_store_operations_total{name="look_up",outcome="done"} 3"#))
        #expect(lines.contains(#"profiles_store_operation_duration_seconds_count{name="look_up"} 3"#))
        #expect(lines.contains { $0.hasPrefix("process_open_fds ") })
        #expect(TemporaryPlace.canaries.allSatisfy { !answer.body.contains($0) })
    }

    @Test(arguments: ["info", "trace"])
    func `the log has no URL, name, value or secret`(level: String) async throws {
        let place = try await TemporaryPlace.withStore()
        let server = try await RunningServer(place, "--log-level", level)
        let (name, password, query) = (
            TemporaryPlace.canaries[0], TemporaryPlace.canaries[1], TemporaryPlace.canaries[3]
        )
        #expect(try await server.get("/v1/profiles/\(name)?\(query)=\(query)", token: place.token).status < 500)
        #expect(try await server.get("/v1/profiles?where=username=\(name)", token: place.token).status == 200)
        #expect(try await server.get("/\(query)/%zz").status < 500)
        #expect(try await server.get("/v1/profiles/\(name)", token: "pt_" + query).status == 401)
        for word in [password, query] {
            let connection = try Connection(port: server.port)
            try connection.send("POST", "/v1/login", body: #"{"username": "\#(name)", "password": "\#(word)"}"#)
            #expect(try await connection.answer().status == (word == password ? 200 : 401))
        }
        let broken = try Connection(port: server.port)
        try broken.send("GET /\(query) HTTP/1.1\r\nHost: a\r\nX: \u{1}\(query)\r\n\r\n")
        #expect(try await broken.answer().status == 400)
        server.send(SIGTERM)
        #expect(try await server.end() == 0)
        let log = server.log
        #expect(log.contains(#""route":"/v1/login""#) && log.contains(#""message":"audit""#), "\(log)")
        for canary in TemporaryPlace.canaries + [place.token] { #expect(!log.contains(canary), "\(log)") }
        // Each line is an object by itself.
        for line in log.split(separator: "\n") { _ = try JSONValue(parsing: String(line)) }
    }

    private static let time = Timestamp(millisecondsSince1970: 0)

    private static func line(_ message: Logger.Message, _ metadata: Logger.Metadata, label: String = "profiles-server")
        -> String
    {
        var handler = JSONLogHandler(label, level: .info)
        handler[metadataKey: "own"] = "1"
        let event = LogEvent(
            level: .notice, message: message, error: nil, metadata: metadata, source: "", file: "", function: "",
            line: 0)
        return String(decoding: handler.line(of: event, at: time), as: UTF8.self)
    }

    @Test func `a record is one line of JSON, whatever its values are`() {
        #expect(
            Self.line("said", ["status": .stringConvertible(200), "id": "12", "list": ["a", ["b": "c"]]])
                == #"{"time":"1970-01-01T00:00:00.000Z","level":"notice","message":"said","id":"12","#
                + #""list":["a",{"b":"c"}],"own":"1","status":200}"# + "\n")
        let hostile = Self.line("a\n\"b\\", ["x\r": "\u{1B}[2J\u{7F}\u{9B}\u{2028}\u{0}é\t"], label: "other")
        #expect(
            hostile
                == #"{"time":"1970-01-01T00:00:00.000Z","level":"notice","message":"a\u000a\"b\\","logger":"other","#
                + #""own":"1","x\u000d":"\u001b[2J\u007f\u009b\u2028\u0000é\u0009"}"# + "\n")
    }

    @Test func `loggers of libraries say nothing below a warning`() {
        #expect(JSONLogHandler("profiles-server", level: .trace).logLevel == .trace)
        #expect(JSONLogHandler("hummingbird", level: .trace).logLevel == .warning)
        #expect(JSONLogHandler("hummingbird", level: .error).logLevel == .error)
    }
}
