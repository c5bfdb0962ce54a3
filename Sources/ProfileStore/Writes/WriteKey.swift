internal import SecretHashing

/// An idempotency key of a write. If a write is repeated with the same key within 24 hours, the repeat changes nothing
/// and returns the first answer.
///
/// The transaction of a write also stores the outcome of the write under the key. A refusal, for example of a
/// duplicate, is stored too. After a failure that writes nothing, such as `busy`, no outcome is stored. A repeat is
/// then a new attempt. In HTTP, the header `Idempotency-Key` carries such a key. Use a new key for each write, for
/// example a random text. If a key was used for another request, the write is refused as
/// ``ProfileStoreError/Code/keyReused``.
///
/// A write that sets the password of a stored profile is refused with a key, as ``ProfileStoreError/Code/keyedSecret``.
public struct WriteKey: Hashable, Sendable, CustomStringConvertible {
    /// 1 to 255 characters of printable ASCII.
    public let text: String
    /// The SHA-256 of the request, in hexadecimal digits.
    package let request: String

    /// The time for which a store remembers the outcome of a write.
    public static let lifetime = Duration.seconds(24 * 60 * 60)

    /// Creates a key; nil if the text is empty, longer than 255 characters, or not printable ASCII (0x21–0x7E).
    ///
    /// - Parameters:
    ///   - text: The key.
    ///   - request: A text that identifies the whole request without its secrets, for example a digest of the method,
    ///     the path and the body of an HTTP request. The store cannot compare the closures of two edits, so it compares
    ///     these texts. The store keeps only a hash of the text.
    public init?(_ text: String, request: String) {
        guard 1...255 ~= text.utf8.count, text.utf8.allSatisfy({ 0x21...0x7E ~= $0 }) else { return nil }
        self.text = text
        self.request = SHA256.hexadecimal(Array(request.utf8).span)
    }

    public var description: String { text }
}

extension WriteKey {
    /// Returns the time that is one lifetime before `time`. At `time`, the store no longer remembers outcomes that were
    /// stored at that earlier time or before it.
    package static func forgotten(at time: Timestamp) -> Timestamp {
        Timestamp(millisecondsSince1970: time.millisecondsSince1970 - Int64(lifetime / .milliseconds(1)))
    }
}
