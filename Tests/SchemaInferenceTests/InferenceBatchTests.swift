import ProfileCore
import ProfileTransfer
import SchemaInference
import StoreFixtures
import Testing
import Watchdog

/// Evidence counts the same in every batch, and a column may begin in any batch.
@Suite(.watched) struct InferenceBatchTests {
    private static let hash = "$argon2id$v=19$m=64,t=1,p=2$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc"

    /// The number of rows in the first batch. The second batch has ten rows.
    private static let first = 100

    /// The proposal for columns whose values depend on the row number.
    private func inferring(
        _ columns: [String: (Int) -> String], sample: Int? = nil
    ) async throws -> SchemaProposal {
        var text = ""
        for row in 0..<Self.first + 10 {
            var members = [#""user": "u\#(row)""#]
            for name in columns.keys.sorted() { members.append(#""\#(name)": "\#(columns[name]?(row) ?? "")""#) }
            // A batch ends when it has a MiB.
            if row >= Self.first - 2, row < Self.first {
                members.append(#""long": "\#(String(repeating: "x", count: 600_000))""#)
            }
            if row >= Self.first { members.append(#""late_id": "\#(row)""#) }
            text += "{" + members.joined(separator: ", ") + "}\n"
            if row == 9 { text += "[1]\n" }
        }
        return try await SchemaInferenceTests.inferring(text) { $0.sample = sample }
    }

    @Test func `N1: evidence in a later batch counts like evidence in the first batch`() async throws {
        let first = Self.first
        let proposal = try await inferring([
            "words": { $0 < first ? String($0) : "word" },
            "more": { $0 == 3 || $0 >= first + 5 ? "word" : String($0) },
            "near": { $0 == first + 5 ? "word" : String($0) },
            "kind": { $0 == first + 9 ? "c" : ["a", "b"][$0 % 2] },
            "long kind": { $0 == first + 3 ? String(repeating: "c", count: 101) : ["a", "b"][$0 % 2] },
            "code": { ($0 < first ? "A-" : "B-") + String(100 + $0) },
            "length": { String(repeating: "a", count: $0 < first ? 1 : 9) + "-\($0)" },
            "letters": { ($0 < first ? "x" : "ä") + String($0) },
            "digits": { $0 == 5 || $0 == first + 5 ? "007" : String($0) },
            "password_hash": { $0 == first + 6 ? "unset" : Self.hash },
        ])
        #expect(proposal.key == .column("user") && proposal.rows == first + 11)
        func rules(_ name: String) throws -> FieldRules { try #require(proposal[name]?.rules) }

        #expect(try rules("words").type == .string && proposal["words"]?.doubts == [])
        #expect(try rules("more").type == .string && proposal["more"]?.doubts == [])
        guard case .nearly(.integer, let near)? = proposal["near"]?.doubts.first else {
            Issue.record("\(proposal["near"]?.doubts ?? [])")
            return
        }
        #expect(near.lines == [first + 7])
        #expect(try rules("kind").allowedValues == ["a", "b", "c"])
        #expect(try rules("long kind").allowedValues == [])
        #expect(try rules("code").mask == nil)
        #expect(try rules("length").maximumLength == 20)
        #expect(try rules("letters").characters == nil)
        guard case .numerals(let digits)? = proposal["digits"]?.doubts.first else {
            Issue.record("\(proposal["digits"]?.doubts ?? [])")
            return
        }
        #expect(digits.count == 2)
        #expect(digits.lines == [6, first + 7])

        #expect(proposal["password_hash"]?.label == "hash")
        #expect(proposal.refused.map(\.reason) == [.notAnObject, .unsupportedHash])
        #expect(proposal.refused.map(\.rows.lines) == [[11], [first + 8]])
    }

    @Test func `N1: a column that begins in a later batch is missing in all rows before`() async throws {
        let proposal = try await inferring([:])
        #expect(proposal["late_id"]?.values == 10)
        #expect(proposal["late_id"]?.missing == Self.first)
        #expect(proposal["late_id"]?.rules?.isRequired == false)
        #expect(proposal["late_id"]?.rules?.isUnique == false)
        #expect(proposal["long"]?.missing == Self.first + 8)
    }

    @Test func `a sample may end in any batch`() async throws {
        let proposal = try await inferring([:], sample: Self.first + 4)
        #expect(proposal.rows == Self.first + 4 && proposal.isSample)
        #expect(proposal["late_id"]?.values == 3)
    }

    @Test func `objects that no schema accepts are refused with their reasons`() async throws {
        let long = String(repeating: "x", count: 1_100_000)
        let lines = [
            #"{"user": "ann", "_line": 7, "_issues": ["x"]}"#, #"{"user": "bob", "user": "bo"}"#,
            #"{"user": "c\u0000y"}"#, #"{"user": "\#(long)"}"#, #"["dan"]"#, #"{"user": "eve"}"#, "",
        ]
        let text = Array(lines.joined(separator: "\n").utf8) + Array(#"{"user": ""#.utf8) + [0xFF] + Array("\"}\n".utf8)
        let proposal = try await SchemaInferenceTests.inferring(text)
        #expect(proposal.labels == ["user": "key string username"])
        #expect(proposal.refused.map(\.reason) == [.badEncoding, .nul, .tooLong, .notAnObject, .repeatedMember])
        #expect(proposal.refused.map(\.rows.lines) == [[7], [3], [4], [5], [2]])
        #expect(try await proposal.validating(text).outcomes == [2, 0, 0, 5])
    }
}
