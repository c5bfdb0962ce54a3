/// An idempotency key of a write. Within 24 hours a repeat with the same key has no second effect, and returns the
/// first answer.
///
/// The outcome of a write is stored with its key in the same transaction, also if the write was refused, for example
/// for a duplicate. A write that failed for other reasons, such as `busy`, leaves nothing, and a repeat is a new
/// attempt. HTTP calls it `Idempotency-Key`. Use another key for each write, for example a random one. A key that was
/// used for another write is refused as ``ProfileStoreError/Code/keyReused``.
public struct WriteKey: Hashable, Sendable, CustomStringConvertible {
    /// 1 to 255 characters of printable ASCII.
    public let text: String

    /// The time for which a store remembers the outcome of a write.
    public static let lifetime = Duration.seconds(24 * 60 * 60)

    /// Creates a key; nil if the text is empty, longer than 255 characters, or not printable ASCII (0x21–0x7E).
    public init?(_ text: String) {
        guard 1...255 ~= text.utf8.count, text.utf8.allSatisfy({ 0x21...0x7E ~= $0 }) else { return nil }
        self.text = text
    }

    public var description: String { text }
}

extension WriteKey {
    /// Outcomes of this time or earlier are no longer remembered.
    package static func forgotten(at time: Timestamp) -> Timestamp {
        Timestamp(millisecondsSince1970: time.millisecondsSince1970 - Int64(lifetime / .milliseconds(1)))
    }
}
