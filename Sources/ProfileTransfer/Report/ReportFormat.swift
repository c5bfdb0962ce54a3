internal import ProfileCore
public import ProfileStore

/// A form in which a report is written to a file (I8).
public enum ReportFormat: String, Hashable, Sendable, CaseIterable {
    /// The totals, the issues by field and code, and every listed issue, for people.
    case text = "txt"
    /// All of it, for programs; two spaces a level.
    case json
    /// A record an issue, without the totals. It is made for spreadsheets: a value that one would run begins with `'`.
    case csv
    /// One page that needs nothing besides: totals, a chart of issues by field and code, and the issues to filter.
    case html

    /// The format that a file's ending asks for, whatever its case; nil for any other ending.
    public init?(fileName: String) {
        guard let dot = fileName.lastIndex(of: ".") else { return nil }
        self.init(rawValue: fileName[fileName.index(after: dot)...].lowercased())
    }
}

extension ImportReport {
    /// The whole report in a format, with the issues that it lists.
    ///
    /// It includes the path of the store, for the operator. A service answers its clients with the `Encodable` form.
    public func rendered(as format: ReportFormat) -> String { outline.rendered(as: format) }

    /// Writes the whole report in a format, as above, chunk by chunk.
    ///
    /// - Throws: What the sink has thrown.
    public func write(as format: ReportFormat, to sink: ChunkSink) async throws(StreamFailure) {
        try await sink.write(rendered(as: format))
    }

    /// The report for a terminal: totals, issues by field and code, and the first examples.
    ///
    /// Control characters of the input are shown as escapes, so that no file writes to somebody's terminal.
    public func summary(examples: Int = 5) -> String { outline.summary(examples: examples) }
}

extension RevalidationReport {
    /// The whole report in a format, with the issues that it lists.
    ///
    /// It includes the path of the store, for the operator. A service answers its clients with the `Encodable` form.
    public func rendered(as format: ReportFormat) -> String { outline.rendered(as: format) }

    /// Writes the whole report in a format, as above, chunk by chunk.
    ///
    /// - Throws: What the sink has thrown.
    public func write(as format: ReportFormat, to sink: ChunkSink) async throws(StreamFailure) {
        try await sink.write(rendered(as: format))
    }

    /// The report for a terminal: totals, issues by field and code, and the first examples.
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
