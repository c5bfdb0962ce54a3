/// Splits a stream into messages. A message has a type byte, a length and a body. The length includes its own 4 bytes.
struct MessageSplitter {
    /// Whether the next message has a type byte. The first messages of a client have none.
    var isTyped: Bool
    private var bytes: [UInt8] = []
    private var start = 0

    /// The maximum length of a message, because a whole message is kept in memory. Messages in tests are shorter.
    private static let limit = 64 << 20

    init(isTyped: Bool) { self.isTyped = isTyped }

    mutating func append(_ more: [UInt8]) {
        bytes.removeFirst(start)
        start = 0
        bytes += more
    }

    /// Returns the type and all bytes of the next message. The type is 0 if the message has none. Returns nil if the
    /// message is not complete yet.
    mutating func next() throws(MalformedMessage) -> (type: UInt8, bytes: [UInt8])? {
        let typeLength = isTyped ? 1 : 0
        let rest = bytes[start...]
        guard rest.count >= typeLength + 4 else { return nil }
        var header = MessageBody(rest.dropFirst(typeLength))
        let length = try header.number()
        guard length >= 4, length <= Self.limit else { throw MalformedMessage() }
        guard rest.count >= typeLength + length else { return nil }
        let message = Array(rest.prefix(typeLength + length))
        start += message.count
        return (isTyped ? message[0] : 0, message)
    }
}

/// A peer does not keep to the protocol.
struct MalformedMessage: Error {}

/// The parts of a message, one after another.
struct MessageBody {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

    mutating func byte() throws(MalformedMessage) -> UInt8 {
        guard let byte = rest.popFirst() else { throw MalformedMessage() }
        return byte
    }

    mutating func number() throws(MalformedMessage) -> Int {
        guard rest.count >= 4 else { throw MalformedMessage() }
        defer { rest = rest.dropFirst(4) }
        return rest.prefix(4).reduce(0) { $0 << 8 | Int($1) }
    }

    /// Text up to a zero byte.
    mutating func string() throws(MalformedMessage) -> String {
        guard let end = rest.firstIndex(of: 0) else { throw MalformedMessage() }
        defer { rest = rest[(end + 1)...] }
        return String(decoding: rest[..<end], as: UTF8.self)
    }
}
