/// The messages that the server has not answered yet, in order. They show when the server has answered the target,
/// which is the message of the client that a rule has chosen.
struct AwaitedAnswers {
    private enum Awaited {
        /// The answer ends with ReadyForQuery.
        case startup, query, sync
        /// The answer ends with CommandComplete or with an error. After an error, the server ignores all messages up to
        /// the next sync.
        case execute
    }

    private var awaited: [(kind: Awaited, isTarget: Bool)] = []
    /// Whether the server has answered with an error, and the client has not sent the next sync yet.
    private var isPassingOver = false
    /// Whether the target is not in `awaited`, for example because the server ignores it after an error. The
    /// answer to the next sync then counts as the answer to the target.
    private var isTargetPassedOver = false

    /// Whether the next message of the server belongs to the answer to the target.
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

    /// Handles a message of the server, given by its type.
    ///
    /// - Returns: Whether this message ends the answer to the target.
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
            // During COPY, the server ignores the sync that the client sent after the execution. After the data, the
            // client sends a second sync, which the server answers.
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
