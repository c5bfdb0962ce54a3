/// Names a write, so that it can be repeated by one who does not know what came of it: within 24 hours a repeat with the
/// same key has no second effect, and gets the first answer.
///
/// What came of a write is stored with its key, in its transaction: also that it was refused, such as for a duplicate. What
/// failed for other reasons, such as `busy`, has left nothing, and a repeat is a new try. It is what HTTP calls an
/// `Idempotency-Key`. A caller gives each write a key of its own, such as a random one; the key with another write is refused
/// as ``ProfileStoreError/Code/keyReused``.
public struct WriteKey: Hashable, Sendable, CustomStringConvertible {
    /// 1 to 255 characters of printable ASCII.
    public let text: String

    /// How long a store remembers what came of a write.
    public static let lifetime = Duration.seconds(24 * 60 * 60)

    /// Nil for a text that is empty, longer than 255 characters, or not printable ASCII (0x21–0x7E).
    public init?(_ text: String) {
        guard 1...255 ~= text.utf8.count, text.utf8.allSatisfy({ 0x21...0x7E ~= $0 }) else { return nil }
        self.text = text
    }

    public var description: String { text }
}

extension WriteKey {
    /// What was written at this time or before is not remembered any more.
    package static func forgotten(at time: Timestamp) -> Timestamp {
        Timestamp(millisecondsSince1970: time.millisecondsSince1970 - Int64(lifetime / .milliseconds(1)))
    }
}
