/// What the server has yet to answer, in order, so that it can be told when it has answered a certain message.
struct AwaitedAnswers {
    private enum Awaited {
        /// Answered when the server is ready for the next query.
        case startup, query, sync
        /// Answered when a command is complete, or by an error, after which all is passed over until the next sync.
        case execute
    }

    private var awaited: [(kind: Awaited, isTarget: Bool)] = []
    /// An error was answered, and the sync that ends it has not been sent.
    private var isPassingOver = false
    /// The message that is looked for was passed over, so that the next sync's answer is its own.
    private var isTargetPassedOver = false

    /// Whether what the server says next is about the message that is looked for.
    var isTargetNext: Bool { awaited.first?.isTarget ?? false }

    mutating func sent(_ kind: FrontendMessage.Kind, isTarget: Bool) {
        switch kind {
        case .startup: awaited.append((.startup, isTarget))
        case .query, .functionCall: awaited.append((.query, isTarget))
        case .execute where !isPassingOver: awaited.append((.execute, isTarget))
        case .sync:
            awaited.append((.sync, isTarget || isTargetPassedOver))
            isPassingOver = false
            isTargetPassedOver = false
        default: isTargetPassedOver = isTargetPassedOver || isTarget
        }
    }

    /// Takes the type of a message of the server's.
    ///
    /// - Returns: Whether the message that is looked for is answered by it.
    mutating func received(_ type: UInt8) -> Bool {
        switch type {
        case UInt8(ascii: "Z"):
            let end = awaited.firstIndex { $0.kind != .execute } ?? awaited.endIndex
            return remove(upTo: min(end + 1, awaited.endIndex))
        case UInt8(ascii: "C"), UInt8(ascii: "I"), UInt8(ascii: "s"):
            return remove(upTo: awaited.first?.kind == .execute ? 1 : 0)
        case UInt8(ascii: "E"):
            guard awaited.first?.kind != .query, awaited.first?.kind != .startup else { return false }
            let end = awaited.firstIndex { $0.kind != .execute }
            isPassingOver = end == nil
            return remove(upTo: end ?? awaited.endIndex)
        case UInt8(ascii: "G"):
            // The sync that came with the execution of COPY is not answered; the client sends another after the data.
            let sync = awaited.firstIndex { $0.kind == .sync }
            if awaited.first?.kind == .execute, let sync { awaited.remove(at: sync) }
            return false
        default: return false
        }
    }

    private mutating func remove(upTo end: Int) -> Bool {
        defer { awaited.removeFirst(end) }
        return awaited[..<end].contains { $0.isTarget }
    }
}
