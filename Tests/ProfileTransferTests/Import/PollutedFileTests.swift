import InputFixtures
import Platform
import ProfileCore
import ProfileStore
import ProfileTransfer
import StoreFixtures
import Testing
import Watchdog

/// I1, N7: files with something wrong are read right, or refused, or rejected row by row; what is stored is never wrong
/// without a word.
@Suite(.watched) struct PollutedFileTests {
    @Test("I1: a file with one thing wrong", arguments: PollutedFile.all)
    func pollution(_ file: PollutedFile) async throws {
        let found = try await outcome(of: file.bytes, meaning: file.rows)
        #expect(found == file.expected)
    }

    @Test("I1: and compressed, the same", arguments: PollutedFile.all)
    func compressed(_ file: PollutedFile) async throws {
        let found = try await outcome(of: Gzip.compressed(file.bytes), meaning: file.rows)
        #expect(found == file.expected)
    }

    @Test func `I1: a file compressed twice, or cut off, is refused`() async throws {
        let bytes = try Gzip.compressed(Array(CSVText.lines(CleanTable.records).utf8))
        #expect(try await outcome(of: Gzip.compressed(bytes)) == "refused: looks like gzip")
        #expect(try await outcome(of: Array(bytes.dropLast(9))) == "refused: damaged compression")
    }

    /// What came of importing a file: how many rows are stored as they were meant, how many are stored otherwise, what was
    /// rejected, and what was warned of.
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
        case .strayQuotes(let rows, let line): "stray_quotes \(rows) in line \(line)"
        case .blankLines(let count, let line): "blank_lines \(count) in line \(line)"
        case .leadingZeros(let field, let cells, let line): "leading_zeros \(field) \(cells) in line \(line)"
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
        if mayBeData { return "no known columns" }
        return unknownColumns.isEmpty ? "missing columns" : "unknown columns"
    }
}
