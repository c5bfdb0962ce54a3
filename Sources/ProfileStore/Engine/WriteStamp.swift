internal import ProfileCore
internal import SecretHashing

/// What is written down with a write: when it was, who did it, and under which key it may be repeated.
package struct WriteStamp: Sendable {
    package let time: Timestamp
    package let author: Author?
    /// Nil for a write without a key.
    package let request: KeyedRequest?

    package init(at time: Timestamp, by author: Author? = nil, _ request: KeyedRequest? = nil) {
        self.time = time
        self.author = author
        self.request = request
    }
}

/// A write that may be repeated: its key, and what it asks for.
package struct KeyedRequest: Sendable {
    package let key: WriteKey
    /// SHA-256 of what is asked for, in hexadecimal digits.
    package let fingerprint: String
    /// Whether the write is about one revision of a profile. An edit of whichever revision is stored is not: it is tried
    /// again when another write came first.
    let isOfOneRevision: Bool

    /// Nil where there is no key.
    ///
    /// - Parameters:
    ///   - key: What the caller calls the write.
    ///   - verb: What is done.
    ///   - facts: What it is done with; no secret.
    ///   - isOfOneRevision: Whether `staleRevision` is an answer to it.
    package init?(_ key: WriteKey?, _ verb: String, _ facts: [String?], isOfOneRevision: Bool = true) {
        guard let key else { return nil }
        self.key = key
        self.isOfOneRevision = isOfOneRevision
        let request = JSONValue.array([.string(verb)] + facts.map { $0.map { .string($0) } ?? .null })
        fingerprint = SHA256.hexadecimal(Array(request.text().utf8).span)
    }

    /// Whether an error is the outcome of the write, which its repeats get too.
    package func isAnswered(by error: ProfileStoreError) -> Bool {
        if error.code == .staleRevision, !isOfOneRevision { return false }
        return error.isAnswer
    }
}
