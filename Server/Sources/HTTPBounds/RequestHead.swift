internal import NIOHTTP1

/// What the guard of a connection needs to know of a request's head.
struct RequestHead: Equatable {
    /// The reason to refuse the request, if there is one.
    var refusal: Refusal?
    /// Whether the connection closes after the answer.
    var isLast = false
    /// Whether to send the status 100: the client waits for it, and the body is not too long.
    var expectsContinue = false
    /// The length of the body, if the head says it.
    var length: Int?

    /// Judges a head by the rules of RFC 9112 that NIO's parser does not enforce, and by the bounds.
    init(_ head: HTTPRequestHead, _ bounds: ConnectionBounds) {
        var hosts = 0
        var host: Substring = ""
        var lengths = 0
        var codings = 0
        var isChunked = false
        var expectations: [Substring] = []
        for (name, value) in head.headers {
            // The lengths of these names differ, so most fields cost one comparison of integers.
            switch name.utf8.count {
            case 4 where name.equals("host"):
                hosts += 1
                host = value.trimmed
            case 6 where name.equals("expect"):
                expectations.append(value.trimmed)
            case 7 where name.equals("upgrade"):
                // NIO's parser stops behind a request that asks for another protocol.
                isLast = true
            case 14 where name.equals("content-length"):
                lengths += 1
                length = Int(value.trimmed)
            case 17 where name.equals("transfer-encoding"):
                codings += 1
                isChunked = value.trimmed.equals("chunked")
            default: break
            }
        }
        let isHTTP10 = head.version.minor == 0
        if isHTTP10 || !head.isKeepAlive { isLast = true }
        if head.uri.utf8.count > bounds.targetLength {
            refusal = .targetTooLong
            return
        }
        let isFramed =
            codings == 0
            ? lengths == 0 || lengths == 1 && length != nil
            : codings == 1 && isChunked && lengths == 0 && !isHTTP10
        guard head.version.major == 1, isFramed, hosts == 1 || hosts == 0 && isHTTP10,
            hosts == 0 || Self.isHost(host), Self.isTarget(head.uri, of: head.method, host: host)
        else {
            refusal = .unreadable
            return
        }
        // HTTP/1.0 has no expectations (RFC 9110, 10.1.1).
        guard !isHTTP10, !expectations.isEmpty else { return }
        guard expectations.allSatisfy({ $0.equals("100-continue") }) else {
            refusal = .expectationFailed
            return
        }
        let hasBody = isChunked || (length ?? 0) > 0
        expectsContinue = hasBody && (length ?? 0) <= bounds.bodyLength
    }

    /// Whether a `Host` field is not empty and has only characters that occur in names, addresses and ports.
    private static func isHost(_ host: Substring) -> Bool {
        !host.isEmpty
            && host.utf8.allSatisfy { byte in
                // `contains` is slow, so the characters of usual hosts are checked first.
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: ":"), UInt8(ascii: "-"):
                    true
                default: "_~%!$&'()*+;=[]".utf8.contains(byte)
                }
            }
    }

    /// Whether a target is a path, or a URL of the same host, or `*` for OPTIONS.
    private static func isTarget(_ target: String, of method: HTTPMethod, host: Substring) -> Bool {
        guard target.utf8.allSatisfy({ (0x21...0x7e).contains($0) && $0 != UInt8(ascii: "#") }), method != .CONNECT
        else { return false }
        if target.utf8.first == UInt8(ascii: "/") { return true }
        if target == "*" { return method == .OPTIONS }
        guard let scheme = target.firstRange(of: "://") else { return false }
        let name = target[..<scheme.lowerBound]
        guard name.equals("http") || name.equals("https") else { return false }
        let authority = target[scheme.upperBound...].prefix { $0 != "/" && $0 != "?" }
        // The codec takes the authority from Host. RFC 9112 (3.2.2) takes it from the target, so they must agree.
        return !authority.isEmpty && authority.equals(host)
    }
}

extension String {
    fileprivate var trimmed: Substring { self[...].trimmed }
}

extension Substring {
    /// The text without the white space around a field's value.
    fileprivate var trimmed: Substring {
        var text = self
        while text.utf8.first == 0x20 || text.utf8.first == 0x09 { text = text.dropFirst() }
        while text.utf8.last == 0x20 || text.utf8.last == 0x09 { text = text.dropLast() }
        return text
    }
}

extension StringProtocol {
    /// Returns whether the texts are equal, ignoring the case of ASCII letters.
    fileprivate func equals(_ other: some StringProtocol) -> Bool {
        utf8.elementsEqual(other.utf8) { Self.lowercase($0) == Self.lowercase($1) }
    }

    private static func lowercase(_ byte: UInt8) -> UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
    }
}
