internal import CSVStream
internal import ProfileCore
internal import ProfileStore

extension ReportOutline {
    /// The report as CSV: a header and one record per issue.
    var csv: String {
        let output = GatheredChunks()
        do throws(ByteStreamError) {
            var writer = CSVWriter(to: output.sink, spreadsheetSafe: true)
            // Every record contains the origin of its report, because users combine the records of several reports.
            let origin = [startedAt.description, ProgramVersion.name, store ?? ""]
            try writer.record(
                (hasPlaces ? ["line", "record"] : [])
                    + ["field", "code", "message", "value", "key", "started_at", "program", "database"])
            for issue in issues {
                try writer.record(
                    (issue.place.map { [String($0.line), String($0.record)] } ?? [])
                        + [issue.issue.field ?? "", issue.issue.code, issue.issue.message]
                        + [issue.value ?? "", issue.key ?? ""] + origin)
            }
            try writer.finish()
        } catch {
            // Writing to memory cannot fail.
        }
        return String(decoding: output.takeAll().joined(), as: UTF8.self)
    }
}

extension CSVWriter {
    /// Writes a record of Strings.
    mutating func record(_ cells: [String]) throws(ByteStreamError) {
        for text in cells { cell(text.utf8.span) }
        try endRecord()
    }
}
