/// Takes a stream apart into messages: a type, where they have one, a length that counts itself, and a body.
struct MessageSplitter {
    /// Whether the next message has a type; those that a client begins with have none.
    var isTyped: Bool
    private var bytes: [UInt8] = []
    private var start = 0

    /// None is as long in tests, and it has to be kept whole.
    private static let limit = 64 << 20

    init(isTyped: Bool) { self.isTyped = isTyped }

    mutating func append(_ more: [UInt8]) {
        bytes.removeFirst(start)
        start = 0
        bytes += more
    }

    /// The type of the next message, 0 where it has none, and all of its bytes; nil where it is not there as a whole.
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
