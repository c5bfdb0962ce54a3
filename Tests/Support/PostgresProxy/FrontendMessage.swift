/// A message of a client (PostgreSQL 15, 55.7 Message Formats).
package struct FrontendMessage: Hashable, Sendable {
    package enum Kind: Hashable, Sendable {
        case encryptionRequest, cancelRequest, startup, password, terminate
        case query, parse, bind, describe, execute, close, flush, sync, functionCall
        case copyData, copyDone, copyFail
        case other(UInt8)
    }

    package let kind: Kind
    /// The number of the connection. Connections are numbered from 0 in the order in which clients connect.
    package let connection: Int
    /// The SQL of a query or a parse message. For bind, describe and execute, the SQL of the prepared statement. Empty
    /// for other messages.
    package let text: String

    /// Whether the message makes the server commit: a query, or the execution of a statement with any name.
    ///
    /// If a query has several statements, only the last statement counts.
    package var isCommit: Bool {
        guard kind == .query || kind == .execute else { return false }
        let last = text.split(separator: ";").last { !$0.allSatisfy(\.isWhitespace) }
        let words = last?.uppercased().split(whereSeparator: \.isWhitespace) ?? []
        return (words.first == "COMMIT" || words.first == "END") && words.dropFirst().first != "PREPARED"
    }
}

/// Parses the messages of a client from its bytes. The bytes can come in pieces of any size.
struct FrontendReader {
    private var messages = MessageSplitter(isTyped: false)
    /// The SQL of prepared statements and of portals, by name.
    private var statements: [String: String] = [:]
    private var portals: [String: String] = [:]

    mutating func append(_ bytes: [UInt8]) { messages.append(bytes) }

    /// Returns the next message and its bytes. Nil if the message is not complete yet.
    mutating func next(ofConnection number: Int) throws(MalformedMessage) -> (FrontendMessage, [UInt8])? {
        guard let (type, bytes) = try messages.next() else { return nil }
        var body = MessageBody(bytes.dropFirst(messages.isTyped ? 5 : 4))
        let (kind, text) = messages.isTyped ? try typed(type, &body) : (try untyped(&body), "")
        if kind == .startup { messages.isTyped = true }
        return (FrontendMessage(kind: kind, connection: number, text: text), bytes)
    }

    /// Returns the kind of a message at the start of a connection. Such a message has no type byte. The number at its
    /// start identifies it.
    private func untyped(_ body: inout MessageBody) throws(MalformedMessage) -> FrontendMessage.Kind {
        switch try body.number() {
        case 80_877_102: .cancelRequest
        case 80_877_103, 80_877_104: .encryptionRequest
        default: .startup
        }
    }

    private mutating func typed(
        _ type: UInt8, _ body: inout MessageBody
    ) throws(MalformedMessage) -> (FrontendMessage.Kind, String) {
        switch type {
        case UInt8(ascii: "Q"): return (.query, try body.string())
        case UInt8(ascii: "P"):
            let name = try body.string()
            let text = try body.string()
            statements[name] = text
            return (.parse, text)
        case UInt8(ascii: "B"):
            let portal = try body.string()
            let text = statements[try body.string()] ?? ""
            portals[portal] = text
            return (.bind, text)
        case UInt8(ascii: "D"):
            let isStatement = try body.byte() == UInt8(ascii: "S")
            let name = try body.string()
            return (.describe, (isStatement ? statements[name] : portals[name]) ?? "")
        case UInt8(ascii: "C"):
            let isStatement = try body.byte() == UInt8(ascii: "S")
            let name = try body.string()
            if isStatement { statements[name] = nil } else { portals[name] = nil }
            return (.close, "")
        case UInt8(ascii: "E"): return (.execute, portals[try body.string()] ?? "")
        case UInt8(ascii: "H"): return (.flush, "")
        case UInt8(ascii: "S"): return (.sync, "")
        case UInt8(ascii: "F"): return (.functionCall, "")
        case UInt8(ascii: "d"): return (.copyData, "")
        case UInt8(ascii: "c"): return (.copyDone, "")
        case UInt8(ascii: "f"): return (.copyFail, "")
        case UInt8(ascii: "p"): return (.password, "")
        case UInt8(ascii: "X"): return (.terminate, "")
        default: return (.other(type), "")
        }
    }
}
