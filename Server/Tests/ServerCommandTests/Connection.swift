import Glibc

/// A connection to a port of this machine.
final class Connection {
    private let descriptor: Int32
    private let port: UInt16
    private var received: [UInt8] = []

    init(port: UInt16) throws {
        self.port = port
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard descriptor >= 0 else { throw SystemFailure(code: errno, action: "socket") }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        let code = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard code == 0 else { throw SystemFailure(code: errno, action: "connect") }
        _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
    }

    deinit { close(descriptor) }

    /// A port that is free now.
    static func freePort() throws -> UInt16 {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard descriptor >= 0 else { throw SystemFailure(code: errno, action: "socket") }
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let code = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                bind(descriptor, pointer, length) == 0 ? getsockname(descriptor, pointer, &length) : -1
            }
        }
        guard code == 0 else { throw SystemFailure(code: errno, action: "bind") }
        return UInt16(bigEndian: address.sin_port)
    }

    /// Sends a request.
    func send(
        _ method: String, _ path: String, headers: [String] = [], body: String? = nil, declaredLength: Int? = nil,
        mediaType: String = "application/json"
    ) throws {
        var lines = ["\(method) \(path) HTTP/1.1", "Host: 127.0.0.1:\(port)"] + headers
        if let body {
            lines += ["Content-Type: \(mediaType)", "Content-Length: \(declaredLength ?? body.utf8.count)"]
        }
        try send(lines.joined(separator: "\r\n") + "\r\n\r\n" + (body ?? ""))
    }

    /// Sends bytes, which must fit into the buffer of the socket.
    func send(_ text: String) throws {
        let bytes = Array(text.utf8)
        let count = Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL))
        guard count == bytes.count else { throw SystemFailure(code: errno, action: "send") }
    }

    /// A response.
    struct Answer {
        let head: String
        let body: String

        var status: Int { head.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0 }
    }

    /// Waits for a whole response with a `Content-Length`.
    func answer() async throws -> Answer {
        let end = Array("\r\n\r\n".utf8)
        while true {
            if let head = received.firstRange(of: end) {
                let text = String(decoding: received[..<head.lowerBound], as: UTF8.self)
                let length = text.lowercased().firstMatch(of: /content-length: ([0-9]+)/).flatMap { Int($0.1) } ?? 0
                if received.count >= head.upperBound + length {
                    let body = String(decoding: received[head.upperBound..<head.upperBound + length], as: UTF8.self)
                    received.removeFirst(head.upperBound + length)
                    return Answer(head: text, body: body)
                }
            }
            guard try await receive() else { throw SystemFailure(code: 0, action: "receive a response") }
        }
    }

    /// Waits until the server has closed the connection.
    func waitForEnd() async throws { while try await receive() {} }

    /// - Returns: Whether the connection is still open.
    private func receive() async throws -> Bool {
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = recv(descriptor, &chunk, chunk.count, 0)
            if count > 0 {
                received += chunk[..<count]
                return true
            }
            guard count < 0, errno == EAGAIN || errno == EINTR else { return false }
            try await Task.sleep(for: .milliseconds(2))
        }
    }
}

extension RunningServer {
    /// Sends one request to the first listener, and waits for its answer.
    func get(_ path: String, token: String? = nil, of listener: Int = 0) async throws -> Connection.Answer {
        let connection = try Connection(port: Self.port(of: addresses[listener]))
        try connection.send("GET", path, headers: token.map { ["Authorization: Bearer \($0)"] } ?? [])
        return try await connection.answer()
    }
}
