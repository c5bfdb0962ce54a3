import ProfileCore
import ProfileStore
import ProfileTesting
import ProfileTransfer
import SchemaInference
import StoreFixtures
import Testing
import Watchdog

/// Every row of a file is valid by the schema that was inferred from it, except the rows that are counted as refused
/// (N1).
@Suite(.watched) struct InferencePropertyTests {
    @Test func `N1: every row of any file is valid by its inferred schema, except the refused rows`() async throws {
        var seeds = SeededGenerator(printingSeedOf: "inference")
        for _ in 0..<rounds(600) {
            // A seed for each file, so that a single one can be made again.
            let seed = seeds.next()
            await check(seed)
        }
    }

    @Test("N1: files that once failed pass", arguments: [2_055_788_503_724_558_328 as UInt64])
    func knownFile(seed: UInt64) async { await check(seed, lastKind: RandomFile.firstLastKind) }

    private func check(_ seed: UInt64, lastKind: Int = RandomFile.lastKind) async {
        var random = SeededGenerator(seed: seed)
        let file = RandomFile(using: &random, lastKind: lastKind)
        let bytes = random.once(in: 6) ? random.damaged(file.bytes) : file.bytes
        let isNumbered = random.once(in: 2)
        do {
            let proposal = try await inferring(bytes) { if isNumbered { $0.key = .rowNumber } }
            let comment: Comment = "file \(seed): \(proposal.refused)\n\(file.text)"
            let shown = "\(proposal.columns.map(\.examples)) \(proposal.schema?.document() ?? "")"
            #expect(!file.hashes.contains { shown.contains($0) }, comment)
            guard proposal.schema != nil else { return #expect(!isNumbered && proposal.key == nil, comment) }
            let report = try await proposal.validating(bytes)
            #expect(report.rejected == proposal.refusedRows, "\(report.lines.prefix(5)) \(comment)")
            // If many rows are refused, only the first lines are listed.
            if proposal.refused.allSatisfy({ $0.rows.count == $0.rows.lines.count }) {
                let named = Set(proposal.refused.flatMap(\.rows.lines))
                #expect(Set(report.issues.listed.map(\.line)) == named, "\(report.lines.prefix(5)) \(comment)")
            }
        } catch InferenceError.input, InferenceError.tooManyColumns, InferenceError.headerFurtherDown {
            return
        } catch {
            Issue.record("file \(seed): \(error)\n\(file.text)")
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
    fileprivate mutating func damaged(_ bytes: [UInt8]) -> [UInt8] {
        var bytes = bytes
        guard let header = bytes.firstIndex(of: 0x0A), header + 1 < bytes.count else { return bytes }
        for _ in 0..<3 {
            bytes[Int.random(in: header + 1..<bytes.count, using: &self)] = UInt8.random(in: 0...255, using: &self)
        }
        return bytes
    }
}
