import Platform
import PostgresProxy
import ProfileTesting
import Testing

/// A client that says what a test writes, byte for byte.
final class RawClient {
    private let socket: LoopbackSocket
    private var received: [UInt8] = []
    private(set) var hasEnded = false

    init(to port: UInt16) throws { socket = try LoopbackSocket.connecting(to: port) }

    /// Connects, and sends and receives the greeting.
    init(greeting port: UInt16) throws {
        socket = try LoopbackSocket.connecting(to: port)
        try send(.startup())
        #expect(try messages(2) == ["R", "Z"])
    }

    func send(_ bytes: [UInt8]...) throws {
        var rest = Array(bytes.joined())
        let end = ContinuousClock.now + .seconds(20)
        while !rest.isEmpty {
            rest.removeFirst(socket.write(rest))
            guard ContinuousClock.now < end else { throw SystemError("send", code: ETIMEDOUT) }
        }
    }

    /// Waits for this many messages of the server.
    ///
    /// - Returns: The type of each message, with the tag of a command that completed (C) or the length of a row (D).
    func messages(_ count: Int) throws -> [String] {
        var messages: [String] = []
        while messages.count < count {
            if let message = nextMessage() {
                messages.append(message)
            } else {
                try #require(try readsMore(), "after \(messages)")
            }
        }
        return messages
    }

    /// Waits for one byte that belongs to no message.
    func byte() throws -> UInt8 {
        while received.isEmpty { try #require(try readsMore()) }
        return received.removeFirst()
    }

    /// All that comes until the connection ends.
    func messagesToEnd() throws -> [String] {
        while try readsMore() {}
        var messages: [String] = []
        while let message = nextMessage() { messages.append(message) }
        return messages
    }

    /// Whether nothing arrives within 30 ms, not even the end of the connection.
    func hearsNothing() -> Bool { received.isEmpty && !socket.waits(atMost: .milliseconds(30)) }

    /// Waits for more; false at the end.
    private func readsMore() throws -> Bool {
        guard socket.waits(atMost: .seconds(20)) else { throw SystemError("recv", code: ETIMEDOUT) }
        let bytes = socket.read() ?? []
        received += bytes
        return !bytes.isEmpty
    }

    private func nextMessage() -> String? {
        guard received.count >= 5 else { return nil }
        let length = received[1..<5].reduce(0) { $0 << 8 | Int($1) }
        guard received.count > length else { return nil }
        let text = String(decoding: received[5..<(length + 1)].dropLast(), as: UTF8.self)
        defer { received.removeFirst(length + 1) }
        let type = String(decoding: received[..<1], as: UTF8.self)
        return type == "C" ? "C \(text)" : type == "D" ? "D\(length - 4)" : type
    }
}

extension [UInt8] {
    static func number(_ number: Int) -> [UInt8] { (0..<4).reversed().map { UInt8(number >> ($0 * 8) & 0xFF) } }

    static func joined(_ parts: [UInt8]...) -> [UInt8] { Array(parts.joined()) }

    static func message(_ type: Character, _ body: [UInt8] = []) -> [UInt8] {
        (type.asciiValue.map { [$0] } ?? []) + number(body.count + 4) + body
    }

    static func text(_ text: String) -> [UInt8] { Array(text.utf8) + [0] }

    static func startup() -> [UInt8] {
        let body = joined(number(196_608), text("user"), text("app"), [0])
        return number(body.count + 4) + body
    }

    static func request(_ code: Int, _ body: [UInt8] = []) -> [UInt8] {
        joined(number(body.count + 8), number(code), body)
    }

    static func query(_ sql: String) -> [UInt8] { message("Q", text(sql)) }
    static func parse(_ name: String, _ sql: String) -> [UInt8] { message("P", joined(text(name), text(sql), [0, 0])) }
    static func bind(_ name: String, portal: String = "") -> [UInt8] {
        message("B", joined(text(portal), text(name), [0, 0, 0, 0, 0, 0]))
    }
    static func execute(portal: String = "") -> [UInt8] { message("E", text(portal) + number(0)) }
    static let sync = message("S")
    static let flush = message("H")
}
