internal import CSVStream
internal import ProfileCore
internal import ProfileStore

extension ReportOutline {
    /// A header, and a record an issue.
    var csv: String {
        let output = GatheredChunks()
        do throws(ByteStreamError) {
            var writer = CSVWriter(to: output.sink, spreadsheetSafe: true)
            // In every record, so that those of several reports can be put together.
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
            // Memory takes whatever is written to it.
        }
        return String(decoding: output.takeAll().joined(), as: UTF8.self)
    }
}

extension CSVWriter {
    /// Writes a record whose cells are Strings already.
    mutating func record(_ cells: [String]) throws(ByteStreamError) {
        for text in cells { cell(text.utf8.span) }
        try endRecord()
    }
}
