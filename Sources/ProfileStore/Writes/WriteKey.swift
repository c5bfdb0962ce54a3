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
/// A write that sets the password of a stored profile must not have a key. If it has a key, it is refused as
/// ``ProfileStoreError/Code/keyedSecret``.
public struct WriteKey: Hashable, Sendable, CustomStringConvertible {
    /// 1 to 255 characters of printable ASCII. For a key that belongs to a caller, the SHA-256 of the caller and the key,
    /// in hexadecimal digits.
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

    /// Creates a key that belongs to a caller; nil for the same texts as ``init(_:request:)``.
    ///
    /// If two callers use the same key, the store treats their keys as different. The store keeps a hash of the caller
    /// and the key, so it does not keep the key itself.
    ///
    /// - Parameters:
    ///   - text: The key that the caller has sent.
    ///   - caller: A text that identifies the caller, for example the id of an access token. It may be any text.
    ///   - request: See ``init(_:request:)``.
    public init?(_ text: String, of caller: String, request: String) {
        guard let key = Self(text, request: request) else { return nil }
        // A key has no space, so the first space ends it. Different pairs of a key and a caller have different bytes.
        self.text = SHA256.hexadecimal(Array("\(key.text) \(caller)".utf8).span)
        self.request = key.request
    }

    public var description: String { text }
}

extension WriteKey {
    /// Returns the time that is one lifetime before `time`. Outcomes that were stored at the returned time or earlier
    /// have expired at `time`.
    package static func forgotten(at time: Timestamp) -> Timestamp {
        Timestamp(millisecondsSince1970: time.millisecondsSince1970 - Int64(lifetime / .milliseconds(1)))
    }
}
