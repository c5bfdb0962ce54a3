import NIOHTTP1
import Testing

@testable import HTTPBounds

@Suite(.timeLimit(.minutes(5)))
struct RequestHeadTests {
    private func judge(
        _ method: HTTPMethod = .GET, _ target: String = "/", version: HTTPVersion = .http1_1,
        fields: [(String, String)] = [("Host", "localhost")]
    ) -> RequestHead {
        let head = HTTPRequestHead(version: version, method: method, uri: target, headers: HTTPHeaders(fields))
        return RequestHead(head, ConnectionBounds(targetLength: 100, bodyLength: 1000))
    }

    @Test
    func `A plain request passes and keeps the connection`() {
        let head = judge()
        #expect(head.refusal == nil && !head.isLast && !head.expectsContinue)
    }

    @Test(arguments: [
        [], [("Host", "")], [("Host", " ")], [("Host", "a"), ("Host", "a")], [("Host", "a"), ("host", "b")],
        [("Host", "a, b")], [("Host", "user@a")], [("Host", "a/b")], [("Host", "a b")], [("Host", "ä")],
    ])
    func `A request needs exactly one valid Host`(fields: [(String, String)]) {
        #expect(judge(fields: fields).refusal == .unreadable)
    }

    @Test(arguments: ["localhost", "localhost:8080", "[::1]:8080", "a.example", "127.0.0.1"])
    func `Names and addresses with ports are hosts`(host: String) {
        #expect(judge(fields: [("hOST", host)]).refusal == nil)
    }

    @Test(arguments: [
        [("Content-Length", "1"), ("Content-Length", "1")], [("Content-Length", "1"), ("content-length", "2")],
        [("Content-Length", "1"), ("Transfer-Encoding", "chunked")],
        [("Transfer-Encoding", "chunked"), ("Transfer-Encoding", "chunked")],
        [("Transfer-Encoding", "gzip, chunked")], [("Transfer-Encoding", "identity")], [("Transfer-Encoding", "")],
        [("Content-Length", "99999999999999999999")], [("Content-Length", "1, 1")],
    ])
    func `Ambiguous framing is refused`(fields: [(String, String)]) {
        #expect(judge(.POST, fields: [("Host", "a")] + fields).refusal == .unreadable)
    }

    @Test
    func `Chunks need HTTP 1.1`() {
        let fields = [("Host", "a"), ("Transfer-Encoding", "Chunked")]
        #expect(judge(.POST, fields: fields).refusal == nil)
        #expect(judge(.POST, version: .http1_0, fields: fields).refusal == .unreadable)
    }

    @Test(arguments: [
        ("*", HTTPMethod.OPTIONS, nil), ("*", .GET, Refusal.unreadable), ("a", .GET, .unreadable),
        ("", .GET, .unreadable),
        ("http://localhost/a?b", .GET, nil), ("HTTPS://LOCALHOST", .GET, nil), ("http://other/", .GET, .unreadable),
        ("http://localhost:1/", .GET, .unreadable), ("http:///", .GET, .unreadable),
        ("ftp://localhost/", .GET, .unreadable),
        ("/a#b", .GET, .unreadable), ("/ä", .GET, .unreadable), ("/a b", .GET, .unreadable),
        ("localhost:1", .CONNECT, .unreadable), ("/", .CONNECT, .unreadable),
        ("/" + String(repeating: "a", count: 99), .GET, nil),
        ("/" + String(repeating: "a", count: 100), .GET, .targetTooLong),
    ])
    func `A target is a path, a URL of the same host, or an asterisk`(
        target: String, method: HTTPMethod, refusal: Refusal?
    ) {
        #expect(judge(method, target).refusal == refusal)
    }

    @Test(arguments: [
        (HTTPVersion.http1_0, [] as [(String, String)]), (.http1_0, [("Connection", "keep-alive")]),
        (.http1_1, [("Connection", "Close")]), (.http1_1, [("Connection", "upgrade"), ("Upgrade", "h2c")]),
    ])
    func `HTTP 1.0, close and upgrades end the connection`(version: HTTPVersion, fields: [(String, String)]) {
        let head = judge(version: version, fields: [("Host", "a")] + fields)
        #expect(head.refusal == nil && head.isLast)
    }

    @Test
    func `A request is continued only if it expects 100-continue and has a body of allowed length`() {
        func expecting(_ fields: (String, String)..., version: HTTPVersion = .http1_1) -> RequestHead {
            judge(.POST, version: version, fields: [("Host", "a"), ("Expect", "100-Continue")] + fields)
        }
        #expect(expecting(("Content-Length", "1000")).expectsContinue)
        #expect(expecting(("Transfer-Encoding", "chunked")).expectsContinue)
        #expect(!expecting(("Content-Length", "1001")).expectsContinue)
        #expect(!expecting(("Content-Length", "0")).expectsContinue)
        #expect(!expecting().expectsContinue)
        #expect(!expecting(("Content-Length", "5"), version: .http1_0).expectsContinue)
        #expect(expecting(("Expect", "x")).refusal == .expectationFailed)
        #expect(judge(fields: [("Host", "a"), ("Expect", "")]).refusal == .expectationFailed)
    }
}
