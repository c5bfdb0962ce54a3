internal import ProfileStore
internal import TextLayout

extension ReportOutline {
    /// For a terminal, with the first few issues.
    func summary(examples: Int) -> String {
        let shown = issues.prefix(max(0, examples))
        return (opening + [issueSection(shown, title: "Examples", longestValue: 60)]).compactMap(\.self)
            .joined(separator: "\n\n") + "\n"
    }

    /// All that is listed.
    var text: String {
        (opening + [issueSection(issues[...], title: "Issues", longestValue: .max)]).compactMap(\.self)
            .joined(separator: "\n\n") + "\n"
    }

    private var opening: [String?] { [head, totalBlock, countTable] }

    private var head: String {
        let version = schema.version.map { ", version \($0)" } ?? ""
        let rules = "Rules: \(schema.name.visible)\(version) (\(schema.fingerprint.prefix(12)))"
        return (["\(heading) \(subject.visible) in \(secondsText) seconds", rules] + remarks).joined(separator: "\n")
    }

    private var totalBlock: String {
        var table = TextTable([], [.left, .right])
        for total in totals { table.add([total.title, total.count.grouped]) }
        return table.indented
    }

    private var countTable: String? {
        guard !counts.isEmpty else { return nil }
        var table = TextTable(["field", "code", "count"], [.left, .left, .right])
        for count in counts { table.add([count.field ?? Self.wholeRow, count.code, count.count.grouped]) }
        return "Issues by field and code: \(issueCount.grouped)\n" + table.indented
    }

    private func issueSection(_ shown: ArraySlice<Issue>, title: String, longestValue: Int) -> String? {
        guard !shown.isEmpty else { return nil }
        var table = TextTable()
        for issue in shown {
            let value = issue.value.map { $0.quoted(longest: longestValue) + ": " } ?? ""
            table.add([
                issue.placeText, issue.issue.field ?? Self.wholeRow, issue.issue.code, value + issue.issue.message,
            ])
        }
        let part = shown.count < issueCount ? ": the first \(shown.count.grouped) of \(issueCount.grouped)" : ""
        return "\(title)\(part)\n" + table.indented
    }

    /// Stands where an issue has no field.
    static let wholeRow = "(row)"
}

extension ReportOutline.Issue {
    /// The line, which leads into the file by itself, or the name.
    fileprivate var placeText: String {
        switch place.first {
        case .number(let line): "line \(line)"
        case .name(let name): name
        case nil: ""
        }
    }
}

extension TextTable {
    /// The lines, two spaces in.
    fileprivate var indented: String { lines.map { "  " + $0 }.joined(separator: "\n") }
}
