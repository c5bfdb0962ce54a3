/// Counts all issues, but lists only some of them, so that the memory of a report is limited (I8).
///
/// Issues with the same field and the same code are of one kind. The list keeps the first issues of each kind. If the
/// list is full, a new issue can replace a listed issue of the kind with the most listed issues. This happens only if
/// the kind of the new issue has at least two fewer listed issues than that kind.
public struct IssueTally<Issue: Hashable & Sendable>: Hashable, Sendable {
    /// The number of issues with the same field and the same code.
    public struct Count: Hashable, Sendable {
        /// The name of the field; nil for issues of a whole row.
        public let field: String?
        /// The name of a code of ``/ProfileCore/IssueCode``.
        public let code: String
        /// The number of issues, listed or not.
        public let count: Int
    }

    /// The maximum number of listed issues.
    public let limit: Int
    /// The number of all issues, listed or not.
    public private(set) var total = 0
    private var kinds: [Kind: Tally] = [:]
    private var listedCount = 0
    /// The greatest number of listed issues of a single kind. It is 0 until the list is full.
    private var mostOfKind = 0

    private struct Kind: Hashable {
        let field: String?
        let code: String
    }

    private struct Tally: Hashable {
        var count = 0
        var listed: [Listed] = []

        /// - Returns: The number of listed issues of this kind.
        mutating func add(_ times: Int) -> Int {
            count += times
            return listed.count
        }
    }

    private struct Listed: Hashable {
        /// The number of all counted issues at the time when this issue was listed.
        let number: Int
        let issue: Issue
    }

    package init(limit: Int) { self.limit = max(0, limit) }

    /// The listed issues, in the order in which they were found.
    public var listed: [Issue] { kinds.values.flatMap(\.listed).sorted { $0.number < $1.number }.map(\.issue) }

    /// Whether some issues are not listed.
    public var isTruncated: Bool { total > listedCount }

    /// The counts of all kinds, sorted by the count (the greatest first), then by field and code.
    public var issueCounts: [Count] {
        kinds.map { Count(field: $0.key.field, code: $0.key.code, count: $0.value.count) }
            .sorted { ($1.count, $0.field ?? "", $0.code) < ($0.count, $1.field ?? "", $1.code) }
    }

    /// Counts one issue, or an issue that stands for several issues.
    ///
    /// - Returns: Whether the caller must also create the issue and list it.
    package mutating func count(field: String?, code: String, times: Int = 1) -> Bool {
        total += times
        let ofKind = kinds[Kind(field: field, code: code), default: Tally()].add(times)
        return listedCount < limit || ofKind + 1 < mostOfKind
    }

    /// Lists an issue that was just counted. If the list is full, the issue replaces the last issue of the kind with
    /// the most listed issues.
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
