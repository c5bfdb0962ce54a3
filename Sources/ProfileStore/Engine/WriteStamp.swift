internal import ProfileCore
internal import SecretHashing

/// The time, the author, the origin and the idempotency key of a write.
package struct WriteStamp: Sendable {
    package let time: Timestamp
    package let author: Author?
    package let origin: ChangeOrigin
    /// The request with the key; nil for a write without a key.
    package let request: KeyedRequest?

    package init(
        at time: Timestamp, by author: Author? = nil, from origin: ChangeOrigin = ChangeOrigin(),
        _ request: KeyedRequest? = nil
    ) {
        self.time = time
        self.author = author
        self.origin = origin
        self.request = request
    }
}

/// The origin of a change, for the history.
package struct ChangeOrigin: Sendable {
    /// The command or the program that makes the change.
    package var command: String?
    /// The file of an import.
    package let source: String?
    /// A random number that is the same in all transactions of the change. Nil if the change has only one transaction.
    package let key: Int64?
    /// The number of the change that this change undoes.
    package let undoes: Int64?

    package init(command: String? = nil) {
        self.command = command
        source = nil
        key = nil
        undoes = nil
    }

    /// Creates the origin of a change that may take several transactions.
    package init(ofManyTransactionsFrom source: String?) {
        self.init(source: source, undoes: nil)
    }

    /// Creates the origin of an undo, which may take several transactions.
    package init(ofManyTransactionsUndoing change: Int64) {
        self.init(source: nil, undoes: change)
    }

    private init(source: String?, undoes: Int64?) {
        command = nil
        self.source = source
        key = .random(in: 1 << 62...(.max))
        self.undoes = undoes
    }
}

/// A request with an idempotency key.
package struct KeyedRequest: Sendable {
    package let key: WriteKey
    /// The SHA-256 of the operation, the caller's request and the facts, in hexadecimal digits.
    package let fingerprint: String
    /// Whether the request expects one certain revision of a profile. This is false for an edit without an expected
    /// revision: if another write comes first, the repository repeats the edit.
    let isOfOneRevision: Bool

    /// Creates a request; nil if `key` is nil.
    ///
    /// - Parameters:
    ///   - key: The caller's key.
    ///   - verb: The name of the operation.
    ///   - facts: The parameters of the operation, without secrets.
    ///   - isOfOneRevision: Whether the error `staleRevision` is a final answer to the request.
    package init?(_ key: WriteKey?, _ verb: String, _ facts: [String?], isOfOneRevision: Bool = true) {
        guard let key else { return nil }
        self.key = key
        self.isOfOneRevision = isOfOneRevision
        let parts = [verb, key.request] + facts
        let request = JSONValue.array(parts.map { $0.map { .string($0) } ?? .null })
        fingerprint = SHA256.hexadecimal(Array(request.text().utf8).span)
    }

    /// Returns whether an error is the final answer to the request. A repeat of the request gets the same error.
    package func isAnswered(by error: ProfileStoreError) -> Bool {
        if error.code == .staleRevision, !isOfOneRevision { return false }
        return error.isAnswer
    }
}
