internal import ProfileStore
internal import TextLayout

extension ReportOutline {
    /// Returns the report for a terminal, with the first issues.
    func summary(examples: Int) -> String {
        let shown = issues.prefix(max(0, examples))
        return (opening + [issueSection(shown, title: "Examples", longestValue: 60)]).compactMap(\.self)
            .joined(separator: "\n\n") + "\n"
    }

    /// The report as text, with all listed issues.
    var text: String {
        (opening + [issueSection(issues[...], title: "Issues", longestValue: .max)]).compactMap(\.self)
            .joined(separator: "\n\n") + "\n"
    }

    private var opening: [String?] { [head, totalBlock, countTable] }

    private var head: String {
        let version = schema.version.map { ", version \($0)" } ?? ""
        let rules = "Rules: \(schema.name.visible)\(version) (\(schema.fingerprint.prefix(12)))"
        let opening = ["\(heading) \(subject.visible) in \(secondsText) seconds", rules, origin.visible]
        return (opening + remarks).joined(separator: "\n")
    }

    private var totalBlock: String {
        var table = TextTable([], [.left, .right, .right])
        for total in totals {
            table.add([total.title, total.count.grouped, Share.text(total.count, of: total.whole) ?? ""])
        }
        return table.indented
    }

    private var countTable: String? {
        guard !counts.isEmpty else { return nil }
        var table = TextTable(["field", "code", "count", "share"], [.left, .left, .right, .right])
        for count in counts {
            table.add([
                count.field ?? Self.wholeRow, count.code, count.count.grouped,
                Share.text(count.count, of: issueCount) ?? "",
            ])
        }
        return "Issues by field and code: \(issueCount.grouped)\n" + table.indented
    }

    private func issueSection(_ shown: ArraySlice<Issue>, title: String, longestValue: Int) -> String? {
        guard !shown.isEmpty else { return nil }
        var table = TextTable()
        let hasKeys = shown.contains { $0.key != nil }
        for issue in shown {
            let value = issue.value.map { $0.quoted(longest: longestValue) + ": " } ?? ""
            // The record number is omitted, because the line is enough to find the row in the file.
            let line = issue.place.map { ["line \($0.line)"] } ?? []
            table.add(
                line + (hasKeys ? [issue.key?.visible(upTo: Self.widestKey) ?? ""] : [])
                    + [issue.issue.field ?? Self.wholeRow, issue.issue.code, value + issue.issue.message])
        }
        return "\(title)\(part(shown.count))\n" + table.indented
    }

    /// Returns a text with two numbers: the number of shown issues, and the number of all issues. If all issues are
    /// shown, the text is empty.
    private func part(_ count: Int) -> String {
        guard count < issueCount else { return "" }
        let number = "\(count.grouped) of \(issueCount.grouped)"
        return count < issues.count ? ": the first \(number)" : ": \(number), the first of each field and code"
    }

    /// The maximum width of a key in terminal columns.
    private static let widestKey = 32

    /// The text for an issue without a field.
    static let wholeRow = "(row)"
}

extension TextTable {
    /// The lines of the table, indented by two spaces.
    fileprivate var indented: String { lines.map { "  " + $0 }.joined(separator: "\n") }
}
