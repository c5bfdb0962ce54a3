internal import ProfileCore
internal import ProfileStore
internal import TextLayout

/// A report as a single self-contained HTML page. The totals, the chart and the first issues work without JavaScript.
/// With JavaScript, all listed issues can be searched.
///
/// Input text is written to the page in two forms. The first form is text in which `&`, `<`, `>` and quotes are
/// escaped. The second form is JSON in a block that browsers do not run. Input text cannot end this block. If the page
/// contains unsafe text in spite of these two measures, the Content Security Policy (Level 3) of the page still
/// protects the reader. The policy allows only the script and the style sheet that have the given hashes. The policy
/// does not allow the page to load anything.
struct ReportPage {
    private let outline: ReportOutline

    /// The number of issues shown without JavaScript.
    private static let shownIssues = 20

    init(_ outline: ReportOutline) { self.outline = outline }

    var html: String {
        """
        <!doctype html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta http-equiv="Content-Security-Policy" content="\(Self.policy)">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <title>\(outline.heading) \(outline.subject.escaped)</title>
        <style>\(Self.style)</style>
        </head>
        <body>
        <main>
        <header>
        <h1>\(outline.heading) <span class="subject">\(outline.subject.escaped)</span></h1>
        <p>\(rules), \(outline.secondsText) seconds</p>
        <p>\(outline.origin.escaped)</p>
        \(outline.remarks.map { "<p class=\"remark\">\($0.escaped)</p>\n" }.joined())</header>
        \(totals)
        \(outline.issueCount == 0 ? "<p>There are no issues.</p>" : chart + "\n" + issues)
        </main>
        <script type="application/json" id="report">\(Self.embeddable(outline.json))</script>
        <script>\(Self.script)</script>
        </body>
        </html>

        """
    }

    private var rules: String {
        let version = outline.schema.version.map { ", version \($0)" } ?? ""
        return "Rules: <b>\(outline.schema.name.escaped)</b>\(version), "
            + "<code>\(String(outline.schema.fingerprint.prefix(12)).escaped)</code>"
    }

    private var totals: String {
        let tiles = outline.totals.map { total in
            let share = Share.text(total.count, of: total.whole).map { " <small>\($0.escaped)</small>" } ?? ""
            return "<div\(total.isBad && total.count > 0 ? " class=\"bad\"" : "")>"
                + "<dt>\(total.title.escaped)</dt><dd>\(total.count.grouped)\(share)</dd></div>\n"
        }
        return """
            <section aria-labelledby="totals">
            <h2 id="totals">Totals</h2>
            <dl>
            \(tiles.joined())</dl>
            </section>
            """
    }

    /// The chart of issues. The bars are part of the HTML, so they are shown even if the script does not run. The bars
    /// only illustrate numbers. The page also shows these numbers as text.
    private var chart: String {
        let most = max(1, outline.counts.map(\.count).max() ?? 1)
        let rows = outline.counts.map { count in
            let share = Double(count.count) / Double(most) * 100
            let width = max(0.5, (share * 10).rounded() / 10)
            return """
                <tr><td class="field">\(Self.fieldText(count.field))</td><td class="code">\(count.code.escaped)</td>\
                <td class="number">\(count.count.grouped)</td>\
                <td class="share">\(Share.text(count.count, of: outline.issueCount)?.escaped ?? "")</td><td class="bar"><svg aria-hidden="true" width="100%" height="12">\
                <rect width="\(width)%" height="12" rx="2"/></svg></td></tr>

                """
        }
        return """
            <section aria-labelledby="counts">
            <h2 id="counts">Issues by field and code</h2>
            <table id="chart">
            <caption>\(Self.plural(outline.issueCount, "issue")) in all, the most frequent first</caption>
            <thead><tr><th scope="col">Field</th><th scope="col">Code</th><th scope="col" class="number">Count</th>\
            <th scope="col" class="share">Share</th><td></td></tr></thead>
            <tbody>
            \(rows.joined())</tbody>
            </table>
            </section>
            """
    }

    private var issues: String {
        let listed = outline.issues.count
        let rest =
            outline.isTruncated
            ? " \(listed.grouped) are listed, the first of each field and code; all are counted above." : ""
        let columns = (lineColumn + keyColumn + ["field", "code", "value", "message"]).map {
            "<th scope=\"col\" data-key=\"\($0)\">\($0.prefix(1).uppercased() + $0.dropFirst())</th>"
        }
        return """
            <section aria-labelledby="issues">
            <h2 id="issues">Examples</h2>
            <form id="filter" hidden>
            <label>Search <input type="search" id="words" autocomplete="off" spellcheck="false"></label>
            <label>Show <select id="kind"><option value="">every issue</option></select></label>
            </form>
            <table id="list">
            <caption><span id="shown" role="status">\(Self.plural(min(listed, Self.shownIssues), "issue")) of \
            \(outline.issueCount.grouped).\(rest)</span></caption>
            <thead><tr>\(columns.joined())</tr></thead>
            <tbody>
            \(outline.issues.prefix(Self.shownIssues).map(row).joined())</tbody>
            </table>
            <button type="button" id="more" hidden>Show more</button>
            </section>
            """
    }

    private var lineColumn: [String] { outline.hasPlaces ? ["line"] : [] }

    private var keyColumn: [String] { outline.issues.contains { $0.key != nil } ? ["key"] : [] }

    private func row(_ issue: ReportOutline.Issue) -> String {
        """
        <tr>\(lineColumn.map { "<td class=\"\($0)\">\(issue.place.map { String($0.line) } ?? "")</td>" }.joined())\
        \(keyColumn.map { "<td class=\"\($0)\">\(issue.key?.escaped ?? "")</td>" }.joined())\
        <td>\(Self.fieldText(issue.issue.field))</td>\
        <td class="code">\(issue.issue.code.escaped)</td><td class="value">\(issue.value?.escaped ?? "")</td>\
        <td class="message">\(issue.issue.message.escaped)</td></tr>

        """
    }

    private static func fieldText(_ field: String?) -> String { field?.escaped ?? ReportOutline.wholeRow }

    private static func plural(_ count: Int, _ noun: String) -> String {
        "\(count.grouped) \(noun)\(count == 1 ? "" : "s")"
    }

    /// Returns JSON that cannot end its block in the page. Some characters could end the block. They occur only in JSON
    /// strings, and each of them is replaced by an escape. In a JSON string, the escape has the same meaning as the
    /// character.
    static func embeddable(_ json: JSONValue) -> String {
        var text = ""
        for scalar in json.text().unicodeScalars {
            switch scalar {
            case "<": text += "\\u003c"
            case ">": text += "\\u003e"
            case "&": text += "\\u0026"
            case "\u{2028}": text += "\\u2028"
            case "\u{2029}": text += "\\u2029"
            default: text.unicodeScalars.append(scalar)
            }
        }
        return text
    }

    private static let policy =
        "default-src 'none'; style-src '\(ContentHash.sha256(style))'; script-src '\(ContentHash.sha256(script))'; "
        + "base-uri 'none'; form-action 'none'"
}

extension String {
    /// The text, escaped for an HTML element or a quoted attribute. Control characters are made visible.
    var escaped: String {
        var text = ""
        for scalar in visible.unicodeScalars {
            switch scalar {
            case "&": text += "&amp;"
            case "<": text += "&lt;"
            case ">": text += "&gt;"
            case "\"": text += "&quot;"
            case "'": text += "&#39;"
            default: text.unicodeScalars.append(scalar)
            }
        }
        return text
    }
}
