import ProfileStore
import ProfileTesting
import ProfileTransfer
import StoreFixtures
import Testing
import Watchdog

/// The law: by the schema that a file gives, every row of that file is valid, save those that were counted (N1).
@Suite(.watched) struct InferencePropertyTests {
    @Test func `N1: every row of any file is valid by its own schema, but for those that are counted`() async throws {
        var random = SeededGenerator(printingSeedOf: "inference")
        for _ in 0..<rounds(300) {
            let text = random.file()
            let bytes = random.once(in: 6) ? random.damaged(Array(text.utf8)) : Array(text.utf8)
            let proposal: SchemaProposal
            do {
                proposal = try await inferring(bytes) { $0.keysByRow = true }
            } catch InferenceError.input {
                continue
            } catch {
                Issue.record("\(error)\n\(text)")
                continue
            }
            let report = try await proposal.validating(bytes)
            #expect(report.rejected == proposal.refusedRows, "\(report.lines.prefix(5)) \(proposal.refused)\n\(text)")
            // Of many only the first are named.
            let named = Set(proposal.refused.flatMap(\.rows.lines))
            if proposal.refused.allSatisfy({ $0.rows.count == $0.rows.lines.count }) {
                #expect(Set(report.issues.listed.map(\.line)) == named, "\(text)")
            }
        }
    }

    @Test func `batches that are merged in any grouping give the same schema`() async throws {
        var random = SeededGenerator(printingSeedOf: "inference batches")
        // Longer than a batch, so that several workers have a part of it.
        var text = "user,n,date,word,code\n"
        for row in 0..<12_000 {
            text +=
                "u\(row),\(row),\(random.day(in: .dayFirst)),\(random.one(of: ["a", "b", "NA"])),0\(random.digits(3))\n"
        }
        let whole = try await inferring(text)
        let again = try await inferring(text)
        #expect(whole.schema == again.schema)
        #expect(
            whole.labels == [
                "user": "key string username", "n": "integer", "date": "date dd/MM/yyyy", "word": "choice",
                "code": "string",
            ])
        #expect(whole.columns.map(\.examples) == again.columns.map(\.examples))
        #expect(try await whole.validating(Array(text.utf8)).rejected == 0)
    }
}

extension SeededGenerator {
    /// CSV of a few columns, each with values of one kind that may have others among them.
    fileprivate mutating func file() -> String {
        let delimiter = one(of: [",", ";", "\t", "|"])
        let columns = number(1...7)
        let names = (0..<columns).map { "\(once(in: 8) ? self.text(1..<8) : one(of: Self.headers))\($0)" }
        let kinds = (0..<columns).map { _ in number(0...Self.kinds) }
        var text = names.map { cell($0, delimiter) }.joined(separator: delimiter) + "\n"
        for row in 0..<number(0...60) {
            var cells = (0..<columns).map { value(of: kinds[$0], row) }
            if once(in: 25) { cells.append("surplus") }
            if once(in: 25), cells.count > 1 { cells.removeLast() }
            let line = cells.map { cell($0, delimiter) }.joined(separator: delimiter)
            text += (line.isEmpty ? "\"\"" : line) + one(of: ["\n", "\r\n"])
        }
        return text
    }

    private static let headers = [
        "id", "user", "e-mail", "Phone ", "zip", "is_", "year", "Größe", "x", "password", "status", "first name", "名",
    ]
    private static let kinds = 14

    private mutating func value(of kind: Int, _ row: Int) -> String {
        if once(in: 30) { return one(of: ["", " ", "NA", "-", "null", "N/A", "0000-00-00"]) }
        if once(in: 60) { return text(0..<8) }
        switch kind {
        case 0: return String(row)
        case 1: return String(number(-1_000...1_000))
        case 2: return "\(number(0...99)).\(digits(2))"
        case 3: return "\(number(1...9)).\(digits(3)),\(digits(1))"
        case 4: return day(in: one(of: [.iso]))
        case 5: return day(in: .dayFirst)
        case 6: return "\(number(1...12))/\(number(1...12))/\(number(1990...2020))"
        case 7: return one(of: ["yes", "no", "YES"])
        case 8: return one(of: ["red", "green", "blue"])
        case 9: return "\(digits(3))-\(digits(4))"
        case 10: return "p\(number(0...200))@example.org"
        case 11: return "00\(digits(4))"
        case 12: return "\(day(in: .iso))T\(time())"
        case 13: return uuid()
        default: return text(1..<20)
        }
    }

    private mutating func cell(_ text: String, _ delimiter: String) -> String {
        let isQuoted = text.unicodeScalars.contains { "\"\n\r\(delimiter)".unicodeScalars.contains($0) }
        return isQuoted || once(in: 10) ? "\"\(text.replacing("\"", with: "\"\""))\"" : text
    }

    fileprivate mutating func damaged(_ bytes: [UInt8]) -> [UInt8] {
        var bytes = bytes
        guard let header = bytes.firstIndex(of: 0x0A), header + 1 < bytes.count else { return bytes }
        for _ in 0..<3 {
            bytes[Int.random(in: header + 1..<bytes.count, using: &self)] = UInt8.random(in: 0...255, using: &self)
        }
        return bytes
    }
}
