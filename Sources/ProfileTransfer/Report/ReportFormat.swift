internal import ProfileCore
public import ProfileStore

/// The format of a report file (I8).
public enum ReportFormat: String, Hashable, Sendable, CaseIterable {
    /// Text for people: the totals, the issues by field and code, and every listed issue.
    case text = "txt"
    /// JSON for programs: the whole report, indented by two spaces per level.
    case json
    /// CSV for spreadsheets: one record for each issue, without the totals. If a spreadsheet would treat a value as a
    /// formula, the prefix `'` is added to the value.
    case csv
    /// A self-contained HTML page: the totals, a chart of issues by field and code, and a searchable list of issues.
    case html

    /// Creates the format from the extension of a file name, ignoring case. If no format has this extension, the result
    /// is nil.
    public init?(fileName: String) {
        guard let dot = fileName.lastIndex(of: ".") else { return nil }
        self.init(rawValue: fileName[fileName.index(after: dot)...].lowercased())
    }
}

extension ImportReport {
    /// Returns the whole report in a format, including all listed issues.
    ///
    /// The text includes the path of the store, so it is only for the operator. A service sends ``json`` to its clients
    /// instead.
    public func rendered(as format: ReportFormat) -> String { outline.rendered(as: format) }

    /// Writes the whole report in a format, in chunks.
    ///
    /// - Throws: ``StreamFailure`` if the sink throws an error.
    public func write(as format: ReportFormat, to sink: ChunkSink) async throws(StreamFailure) {
        try await sink.write(rendered(as: format))
    }

    /// Returns the report for a terminal: totals, issues by field and code, and the first examples.
    ///
    /// Control characters of the input are shown as escapes, so a file cannot control the terminal.
    public func summary(examples: Int = 5) -> String { outline.summary(examples: examples) }
}

extension RevalidationReport {
    /// Returns the whole report in a format, including all listed issues.
    ///
    /// The text includes the path of the store, so it is only for the operator. A service sends
    /// ``/ProfileStore/RevalidationReport/json`` to its clients instead.
    public func rendered(as format: ReportFormat) -> String { outline.rendered(as: format) }

    /// Writes the whole report in a format, in chunks.
    ///
    /// - Throws: ``StreamFailure`` if the sink throws an error.
    public func write(as format: ReportFormat, to sink: ChunkSink) async throws(StreamFailure) {
        try await sink.write(rendered(as: format))
    }

    /// Returns the report for a terminal: totals, issues by field and code, and the first examples.
    ///
    /// Control characters of stored values are shown as escapes.
    public func summary(examples: Int = 5) -> String { outline.summary(examples: examples) }
}

extension ReportOutline {
    func rendered(as format: ReportFormat) -> String {
        switch format {
        case .text: text
        case .json: json.text(indented: true) + "\n"
        case .csv: csv
        case .html: ReportPage(self).html
        }
    }
}
