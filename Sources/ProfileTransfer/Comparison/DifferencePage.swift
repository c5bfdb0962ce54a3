internal import ProfileCore
internal import ProfileStore
internal import TextLayout

/// The differences between two sides as a single self-contained HTML page, which runs no script and loads nothing; see
/// `ReportPage`.
package struct DifferencePage {
    private let first: String
    private let second: String
    private let counts: ProfileComparison.Counts
    private let remarks: [String]
    private let differences: [ProfileDifference]

    /// The maximum number of differences that a page lists. Browsers show a longer page only slowly.
    package static let mostDifferences = 10_000

    /// - Parameters:
    ///   - first: The name of the first side.
    ///   - second: The name of the second side.
    ///   - counts: The numbers of all differences.
    ///   - remarks: Remarks to show before the numbers.
    ///   - differences: The first differences.
    package init(
        first: String, second: String, counts: ProfileComparison.Counts, remarks: [String],
        differences: [ProfileDifference]
    ) {
        self.first = first
        self.second = second
        self.counts = counts
        self.remarks = remarks
        self.differences = Array(differences.prefix(Self.mostDifferences))
    }

    package var html: String {
        """
        <!doctype html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta http-equiv="Content-Security-Policy" content="\(Self.policy)">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <title>Differences from \(first.escaped) to \(second.escaped)</title>
        <style>\(ReportPage.style)</style>
        </head>
        <body>
        <main>
        <header>
        <h1>Differences from <span class="subject">\(first.escaped)</span> to \
        <span class="subject">\(second.escaped)</span></h1>
        \(remarks.map { "<p class=\"remark\">\($0.escaped)</p>\n" }.joined())</header>
        <section aria-labelledby="totals">
        <h2 id="totals">Totals</h2>
        <dl>
        \(tile("added", counts.added))\(tile("removed", counts.removed))\(tile("changed", counts.changed))\
        \(tile("equal", counts.equal))</dl>
        </section>
        \(differences.isEmpty ? "<p>There are no differences.</p>" : table)
        </main>
        </body>
        </html>

        """
    }

    private func tile(_ title: String, _ count: Int) -> String {
        "<div><dt>\(title)</dt><dd>\(count.grouped)</dd></div>\n"
    }

    private var table: String {
        let all = counts.differences
        let caption =
            differences.count < all
            ? "The first \(differences.count.grouped) of \(all.grouped) profiles that differ"
            : "\(all.counted("profile")) that differ\(all == 1 ? "s" : "")"
        return """
            <section aria-labelledby="differences">
            <h2 id="differences">Differences</h2>
            <table>
            <caption>\(caption)</caption>
            <thead><tr><th scope="col">Key</th><th scope="col">Difference</th><th scope="col">Field</th>\
            <th scope="col">Before</th><th scope="col">After</th></tr></thead>
            <tbody>
            \(differences.map(rows).joined())</tbody>
            </table>
            </section>
            """
    }

    /// Returns one table row for each value that differs. Only the first row shows the key and the kind.
    private func rows(of difference: ProfileDifference) -> String {
        var values = difference.values.map { (field: $0.field, before: $0.before, after: $0.after) }
        if difference.formerKey != difference.key {
            values.insert(("(key)", difference.formerKey, difference.key), at: 0)
        }
        if values.isEmpty { values.append(("", nil, nil)) }
        return values.enumerated().map { index, value in
            let key = index == 0 ? difference.key.escaped : ""
            let kind = index == 0 ? difference.kind.rawValue : ""
            return """
                <tr><td class="key">\(key)</td><td>\(kind)</td><td>\(value.field.escaped)</td>\
                <td class="value">\(value.before?.escaped ?? "")</td><td class="value">\(value.after?.escaped ?? "")</td></tr>

                """
        }.joined()
    }

    private static let policy =
        "default-src 'none'; style-src '\(ContentHash.sha256(ReportPage.style))'; base-uri 'none'; form-action 'none'"
}
