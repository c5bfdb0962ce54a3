import ProfileTesting
import Testing
import Watchdog

@testable import SchemaInference

@Suite(.watched) struct FingerprintTests {
    private static let template = Array("/tmp/profiles-test-XXXXXX".utf8CString)

    @Test(arguments: [1 << 20, 9_000, 1_000, 64])
    func `N3: the lines of repeated values are found with any memory limit`(limit: Int) throws {
        var random = SeededGenerator(printingSeedOf: "fingerprints")
        let values = (0..<20_000).map { _ in "value \(random.number(0...60_000))" }
        var seen: Set<String> = []
        let repeated = values.enumerated().filter { !seen.insert($0.element).inserted }.map(\.offset)

        let runs = FingerprintRuns(template: Self.template)
        for start in stride(from: 0, to: values.count, by: 700) {
            let batch = (start..<min(start + 700, values.count)).map { line in
                Fingerprint(of: Array(values[line].utf8).span, line: line)
            }
            let evidence = KeyEvidence(batch, missing: CountedLines())
            try runs.add(evidence.run, repeats: evidence.repeats, limit: limit)
        }
        try runs.finish()
        #expect(runs.repeats.count == repeated.count)
        #expect(runs.repeats.lines == Array(repeated.prefix(CountedLines.mostLines)))
    }

    @Test func `values that differ only in ASCII case are equal, and other values are not`() {
        func hash(_ text: String) -> UInt64 { Fingerprint(of: Array(text.utf8).span, line: 1).hash }
        #expect(hash("Ada@Example.org") == hash("ada@example.ORG"))
        #expect(hash("É") != hash("é"))
        #expect(hash("ab") != hash("a b"))
    }

    @Test func `a spill file that cannot be made is an error`() throws {
        let runs = FingerprintRuns(template: Array("/nowhere/at-all-XXXXXX".utf8CString))
        let batch = (0..<10).map { Fingerprint(of: [UInt8($0)].span, line: $0) }
        let evidence = KeyEvidence(batch, missing: CountedLines())
        #expect(throws: InferenceError.spilling(code: 2)) {
            try runs.add(evidence.run, repeats: evidence.repeats, limit: 1)
        }
    }
}
