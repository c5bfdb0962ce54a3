import InputFixtures
import Platform
import ProfileCore
import ProfileStore
import ProfileTransfer
import SchemaInference
import StoreFixtures
import Testing
import Watchdog

/// I1, N7: a faulty file is read correctly, refused, or rejected row by row. Wrong values are never stored without a
/// warning.
@Suite(.watched) struct PollutedFileTests {
    @Test("I1: a file with one fault has the expected outcome", arguments: PollutedFile.all)
    func pollution(_ file: PollutedFile) async throws {
        let found = try await outcome(of: file.bytes, meaning: file.rows)
        #expect(found == file.expected)
    }

    @Test("I1: a compressed file with one fault has the same outcome", arguments: PollutedFile.all)
    func compressed(_ file: PollutedFile) async throws {
        let found = try await outcome(of: Gzip.compressed(file.bytes), meaning: file.rows)
        #expect(found == file.expected)
    }

    /// If every field accepts any text, no value is rejected, so every fault must cause a warning.
    @Test("I1: nothing is silently wrong where every field takes any text", arguments: PollutedFile.all)
    func permissive(_ file: PollutedFile) async throws {
        try await expectNothingSilent(file, by: ProfileSchema(parsing: CleanTable.permissiveSchema))
    }

    @Test("I1, N1: nothing is silently wrong with the schema inferred from the file", arguments: PollutedFile.all)
    func inferred(_ file: PollutedFile) async throws {
        let proposal: SchemaProposal
        do {
            proposal = try await inferring(file.bytes)
        } catch is InferenceError {
            return
        }
        guard let schema = proposal.schema else { return }
        var options = ImportOptions()
        proposal.adapt(&options)
        let isLeftOut = proposal.columns.contains { $0.rules == nil }
        try await expectNothingSilent(
            file, by: schema, options, isNoticed: isLeftOut || !proposal.warnings.isEmpty)
    }

    /// Expects that the file is refused, or that each row is stored correctly or rejected, or that there is a warning.
    private func expectNothingSilent(
        _ file: PollutedFile, by schema: ProfileSchema, _ options: ImportOptions = ImportOptions(),
        isNoticed: Bool = false
    ) async throws {
        let folder = try ImportFolder()
        let repository = try await folder.store(schema: schema)
        let report: ImportReport
        do {
            report = try await ProfileImporter(repository: repository, options: options).run(file.bytes)
        } catch is ImportError {
            return
        }
        // The names of the fields do not matter, and a text may keep leading zeros.
        func values(_ values: some Sequence<String>) -> [String] {
            values.filter { !$0.isEmpty }.map { String($0.drop { $0 == "0" }) }.sorted()
        }
        let meant = Set(file.rows.map { values($0) })
        let stored = try await repository.everything().values.map { values($0.values) }
        let wrong = stored.filter { !meant.contains($0) }
        #expect(wrong.isEmpty || isNoticed || !report.warnings.isEmpty, "silently wrong: \(wrong.prefix(3))")
        #expect(report.rows == stored.count + report.rejected)
    }

    @Test func `I1: a file compressed twice, or cut off, is refused`() async throws {
        let bytes = try Gzip.compressed(Array(CSVText.lines(CleanTable.records).utf8))
        #expect(try await outcome(of: Gzip.compressed(bytes)) == "refused: looks like gzip")
        #expect(try await outcome(of: Array(bytes.dropLast(9))) == "refused: damaged compression")
    }

    /// Imports a file and describes the outcome: the numbers of rows that are stored correctly and wrongly, the
    /// rejected rows, and the warnings.
    private func outcome(
        of bytes: [UInt8], meaning rows: [[String]] = CleanTable.rows
    ) async throws -> String {
        let folder = try ImportFolder()
        let repository = try await folder.store(schema: ProfileSchema(parsing: CleanTable.schema))
        let report: ImportReport
        do {
            report = try await ProfileImporter(repository: repository).run(bytes)
        } catch let error as ImportError {
            return "refused: \(error.inWords)"
        }
        let meant = Dictionary(
            uniqueKeysWithValues: rows.map { row in
                let fields = zip(CleanTable.header, row).filter { !$1.isEmpty }
                return (row[0], Dictionary(uniqueKeysWithValues: fields))
            })
        let stored = try await repository.everything()
        let right = stored.count { meant[$0.key] == $0.value }
        var words = "\(right) right"
        if stored.count > right { words += ", \(stored.count - right) wrong" }
        if report.rejected > 0 {
            let counts = report.issues.issueCounts.map { "\($0.code) \($0.count)" }
            words += ", \(report.rejected) rejected: \(counts.joined(separator: ", "))"
        }
        #expect(report.imported == stored.count)
        return words + report.warnings.map { "; \($0.inWords)" }.joined()
    }
}

extension InputWarning {
    fileprivate var inWords: String {
        switch self {
        case .guessedEncoding(let name): "guessed_encoding \(name)"
        case .linesAboveHeader(let line): "lines_above_header \(line)"
        case .hashesAsPasswords(let rows, let line): "hashes_as_passwords \(rows) in line \(line)"
        case .strayQuotes(let rows, let line): "stray_quotes \(rows) in line \(line)"
        case .blankLines(let count, let line): "blank_lines \(count) in line \(line)"
        case .leadingZeros(let field, let cells, let line): "leading_zeros \(field) \(cells) in line \(line)"
        case .otherQuotes(let columns, let line): "other_quotes \(columns) in line \(line)"
        case .unlikeFirstRows(let rows, let line): "unlike_first_rows \(rows) in line \(line)"
        case .unlikeLastRows(let line): "unlike_last_rows in line \(line)"
        case .totals(let line): "totals in line \(line)"
        case .shortRows(let rows, let line): "short_rows \(rows) in line \(line)"
        case .repeatedHeaders(let columns, let name): "repeated_headers \(columns) \(name)"
        case .joinedLists(let rows, let line): "joined_lists \(rows) in line \(line)"
        case .headerLikeRows: "header_like_rows"
        case .otherSheets, .mergedCells, .hiddenRows, .hiddenColumns, .errorCells, .formulasWithoutValue:
            "\(self)"
        }
    }
}

extension ImportError {
    fileprivate var inWords: String {
        switch self {
        case .noHeader: "no header"
        case .unreadableHeader: "unreadable header"
        case .columnMismatch(let mismatch): mismatch.inWords
        case .columnTwice: "column twice"
        case .looksLike(let kind): "looks like \(kind.rawValue)"
        case .damagedCompression: "damaged compression"
        default: "\(self)"
        }
    }
}

extension ColumnMismatch {
    fileprivate var inWords: String {
        if mayBeData { return "no known columns" + (headerLine.map { ", header in line \($0)" } ?? "") }
        return unknownColumns.isEmpty ? "missing columns" : "unknown columns"
    }
}
