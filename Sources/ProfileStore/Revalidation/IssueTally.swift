/// Counts every issue and lists some of them, so that a report's memory is bounded (I8).
///
/// The list is spread over the kinds of issues, which are their fields and codes: each kind keeps its first ones. Where
/// there are more than may be listed, a frequent kind gives places up to a rare one, until that is listed whole or as long.
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
    /// All of them, listed or not.
    public private(set) var total = 0
    private var kinds: [Kind: Tally] = [:]
    private var listedCount = 0
    /// How many are listed of the kind of which most are; known once the list is full.
    private var mostOfKind = 0

    private struct Kind: Hashable {
        let field: String?
        let code: String
    }

    private struct Tally: Hashable {
        var count = 0
        var listed: [Listed] = []

        /// - Returns: How many are listed.
        mutating func add(_ times: Int) -> Int {
            count += times
            return listed.count
        }
    }

    private struct Listed: Hashable {
        /// Its place among those that were listed.
        let number: Int
        let issue: Issue
    }

    package init(limit: Int) { self.limit = max(0, limit) }

    /// Those that are listed, in the order in which they were found.
    public var listed: [Issue] { kinds.values.flatMap(\.listed).sorted { $0.number < $1.number }.map(\.issue) }

    /// Whether there are more issues than are listed.
    public var isTruncated: Bool { total > listedCount }

    /// Most frequent first, then by field and code.
    public var issueCounts: [Count] {
        kinds.map { Count(field: $0.key.field, code: $0.key.code, count: $0.value.count) }
            .sorted { ($1.count, $0.field ?? "", $0.code) < ($0.count, $1.field ?? "", $1.code) }
    }

    /// Counts an issue, or one that stands for several.
    ///
    /// - Returns: Whether it is to be listed too, so that an issue that is not need not be made.
    package mutating func count(field: String?, code: String, times: Int = 1) -> Bool {
        total += times
        let ofKind = kinds[Kind(field: field, code: code), default: Tally()].add(times)
        return listedCount < limit || ofKind + 1 < mostOfKind
    }

    /// Lists an issue that was counted just now, in the place of the last one of the longest kind where the list is full.
    package mutating func list(_ issue: Issue, field: String?, code: String) {
        if listedCount == limit { shortenLongest() }
        listedCount += 1
        kinds[Kind(field: field, code: code), default: Tally()].listed.append(Listed(number: total, issue: issue))
        if listedCount == limit { mostOfKind = kinds.values.map(\.listed.count).max() ?? 0 }
    }

    private mutating func shortenLongest() {
        let longest = kinds.max { one, two in
            (one.value.listed.count, one.value.listed.last?.number ?? 0)
                < (two.value.listed.count, two.value.listed.last?.number ?? 0)
        }
        guard let kind = longest?.key else { return }
        kinds[kind]?.listed.removeLast()
        listedCount -= 1
    }
}
