import ProfileCore
import ProfileStore
import Testing
import Watchdog

@testable import ProfileTransfer

@Suite(.watched) struct ReportPageTests {
    let page = sampleImport().rendered(as: .html)

    @Test func `I8: the totals, the counts and the first issues are there without JavaScript`() throws {
        let start = try #require(page.ranges(of: "<main>").first).upperBound
        let end = try #require(page.ranges(of: "</main>").first).lowerBound
        let body = page[start..<end]
        for text in [
            "<dt>rows</dt><dd>1,234,567</dd>",
            "<div class=\"bad\"><dt>rejected</dt><dd>4 <small>&lt;0.1 %</small></dd></div>",
            "<td class=\"field\">phone</td><td class=\"code\">too_short</td><td class=\"number\">2</td>"
                + "<td class=\"share\">40.0 %</td>", "<rect width=\"50.0%\"",
            "<td class=\"line\">41</td><td class=\"key\"></td><td>(row)</td>",
            "<td class=\"line\">40</td><td class=\"key\">ann</td><td>password</td>",
            "<p>2026-01-31 09:15:00 UTC, profiles 0.2.0, store /srv/people.sqlite</p>",
            "&lt;/script&gt;&lt;script&gt;alert(1)&lt;/script&gt;", "マーン\\u",
        ] {
            #expect(body.contains(text), "\(text)")
        }
    }

    @Test func `I8: no value breaks out of the page's data or its markup`() throws {
        var report = sampleImport()
        report.add(1, 1, "a\"><img src=x onerror=alert(1)>", "<!--", "<script>'", "\u{2028}<!--<script>]]>")
        let page = report.rendered(as: .html)
        #expect(page.ranges(of: "<script").count == 2)
        #expect(page.ranges(of: "</script").count == 2)
        #expect(!page.contains("<img") && !page.contains("<!--") && !page.contains("\u{2028}"))
        let data = try pageData(of: page)
        #expect(!data.contains { "<>&".contains($0) })
        #expect(try JSONValue(parsing: data) == report.outline.json)
    }

    @Test func `I8: the page loads nothing, and its policy allows the one script and style that it has`() throws {
        #expect(page.ranges(of: "http").count == 1)  // of http-equiv
        #expect(page.contains("content=\"default-src 'none'; style-src 'sha256-"))
        for (start, end) in [("<style>", "</style>"), ("<script>", "</script>")] {
            let open = try #require(page.ranges(of: start).first).upperBound
            let close = try #require(page[open...].ranges(of: end).first).lowerBound
            #expect(page.contains("'\(ContentHash.sha256(String(page[open..<close])))'"))
        }
    }

    // The digests of FIPS 180-4's examples, in Base64.
    @Test(arguments: [
        ("", "sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="),
        ("abc", "sha256-ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0="),
    ])
    func `a content hash is what browsers compute`(content: String, hash: String) {
        #expect(ContentHash.sha256(content) == hash)
    }

    @Test func `a report without issues says so and has no list`() {
        let report = RevalidationReport(
            schema: SchemaReference(name: "standard", version: 3, fingerprint: "ab"), mostIssues: 5, isCandidate: false,
            startedAt: sampleTime, store: "/srv/people.sqlite")
        let page = report.rendered(as: .html)
        #expect(page.contains("<p>There are no issues.</p>"))
        #expect(!page.contains("<table"))
    }

    @Test func `I8: the page shows twenty issues, and says that the others are only counted`() {
        var report = sampleImport(mostIssues: 30)
        for line in 100..<200 { report.add(line, line, "phone", "too_short", "Phone is short", "1") }
        let page = report.rendered(as: .html)
        #expect(page.ranges(of: "<td class=\"line\">").count == 20)
        #expect(
            page.contains(
                "20 issues of 105. 30 are listed, the first of each field and code; all are counted above.</span>"))
    }
}

/// The JSON that a page carries.
func pageData(of page: String) throws -> String {
    let open = try #require(page.ranges(of: "id=\"report\">").first).upperBound
    let close = try #require(page[open...].ranges(of: "</script>").first).lowerBound
    return String(page[open..<close])
}
