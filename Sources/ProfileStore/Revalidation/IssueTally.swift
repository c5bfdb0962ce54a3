/// Counts every issue and lists the first ones, so that a report's memory is bounded (I8).
public struct IssueTally<Issue: Hashable & Sendable>: Hashable, Sendable {
    /// How many issues there are of one field and code.
    public struct Count: Hashable, Sendable {
        /// Nil for issues of a whole row.
        public let field: String?
        /// One of ``/ProfileCore/ValidationIssue/Code``.
        public let code: String
        /// How many issues, listed or not.
        public let count: Int
    }

    /// Most issues that are listed.
    public let limit: Int
    /// The first ones.
    public private(set) var listed: [Issue] = []
    /// All of them, listed or not.
    public private(set) var total = 0
    private var counts: [Kind: Int] = [:]

    private struct Kind: Hashable {
        let field: String?
        let code: String
    }

    package init(limit: Int) { self.limit = max(0, limit) }

    /// Whether there are more issues than are listed.
    public var isTruncated: Bool { total > listed.count }

    /// Most frequent first, then by field and code.
    public var issueCounts: [Count] {
        counts.map { Count(field: $0.key.field, code: $0.key.code, count: $0.value) }
            .sorted { ($1.count, $0.field ?? "", $0.code) < ($0.count, $1.field ?? "", $1.code) }
    }

    /// Counts an issue, or one that stands for several.
    ///
    /// - Returns: Whether it is to be listed too, so that an issue that is not need not be made.
    package mutating func count(field: String?, code: String, times: Int = 1) -> Bool {
        counts[Kind(field: field, code: code), default: 0] += times
        total += times
        return listed.count < limit
    }

    package mutating func list(_ issue: Issue) { listed.append(issue) }
}
