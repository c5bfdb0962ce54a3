internal import ProfileCore

/// A report as one HTML page.
struct ReportPage {
    private let outline: ReportOutline
    init(_ outline: ReportOutline) { self.outline = outline }
    var html: String { outline.json.text() }
}
