/// Collects the issues of one profile. It keeps the first ``ValidationFailure/mostIssues`` issues. It only counts the
/// further issues, separately for each code.
package struct BoundedIssues: Sendable {
    private var first: [ValidationIssue] = []
    private var more: [IssueCode: Int] = [:]

    package init() {}

    init(_ issues: [ValidationIssue]) { for issue in issues { add(issue) } }

    package mutating func add(_ issue: ValidationIssue) {
        if first.count < ValidationFailure.mostIssues {
            first.append(issue)
        } else {
            more[issue.code, default: 0] += issue.count
        }
    }

    package var isEmpty: Bool { first.isEmpty }

    /// The first issues. If there are further issues, one issue for each of their codes follows, sorted by the name of
    /// the code.
    package var issues: [ValidationIssue] {
        first
            + more.sorted { $0.key.rawValue < $1.key.rawValue }
            .map { ValidationIssue(nil, .more($0.key, count: $0.value)) }
    }
}
