import ProfileCore
import ProfileTransfer
import SchemaInference
import StoreFixtures
import Testing
import Watchdog

/// Rules and names that a person chooses instead of the inferred ones.
@Suite(.watched) struct ChosenRuleTests {
    /// Codes of one length, a few words, and a note; more rows than a rule needs.
    private static let text =
        "id,Code,Word,note\n"
        + (0..<300).map { "k\($0),A-\(100 + $0 * 149 % 300),\(["red", "blue", "green"][$0 % 3]),n\($0 * 151 % 300)\n" }
        .joined()

    private func inferred(_ change: (inout InferenceOptions) -> Void) async throws -> SchemaProposal {
        try await inferring(Self.text) { options in
            options.isStrict = false
            change(&options)
        }
    }

    @Test func `N11: a loose column has its type and no limits, and the others are as they were`() async throws {
        let before = try await inferred { _ in }
        #expect(before["Code"]?.rules?.isRequired == true && before["Word"]?.rules?.allowedValues.count == 3)
        let loose = try await inferred { $0.looseColumns = ["Word", "Code", "id"] }
        for header in ["Word", "Code"] {
            let rules = try #require(loose[header]?.rules)
            #expect(!rules.isRequired && rules.allowedValues == [] && rules.mask == nil && rules.maximumLength == nil)
            #expect(loose[header]?.doubts == [])
        }
        #expect(loose["id"]?.rules?.isPrimaryKey == true && loose["id"]?.rules?.isRequired == true)
        #expect(loose["note"]?.rules == before["note"]?.rules)
        let both = try await inferred { options in
            options.looseColumns = ["Word"]
            options.strictColumns = ["Word"]
        }
        #expect(both["Word"]?.rules == loose["Word"]?.rules)
    }

    @Test func `N11: a strict column has the tightest rules, and the others are as they were`() async throws {
        let few = "id,a,b\n1,xy,xy\n2,xz,xz\n"
        let before = try await inferring(few) { $0.isStrict = false }
        let proposal = try await inferring(few) { options in
            options.isStrict = false
            options.strictColumns = ["a"]
        }
        #expect(proposal["a"]?.rules?.isRequired == true && proposal["a"]?.doubts == [])
        #expect(proposal["b"]?.rules == before["b"]?.rules && proposal["b"]?.rules?.isRequired == false)
    }

    @Test func `N11: an omitted column is not a field, and never causes a refusal`() async throws {
        let text = "id,x,bad,bad\n1,a,\u{7},q\n2,b,,\n"
        let proposal = try await inferring(text) { $0.omittedColumns = ["bad"] }
        #expect(proposal["bad"]?.rules == nil && proposal["bad"]?.doubts == [.leftOut(.chosen)])
        #expect(proposal.refused.isEmpty && proposal.ignoredColumns == ["bad"])
        #expect(try await proposal.validating(Array(text.utf8)).outcomes == [2, 0, 0, 0])
        let header = (["id"] + (1...100).map { "c\($0)" }).joined(separator: ",")
        #expect(try await inferring(header + "\n") { $0.omittedColumns = ["c7"] }.schema?.fields.count == 100)
        let objects = #"{"id":1,"x":"a"}"# + "\n" + #"{"id":2,"x":"b","y":"c"}"# + "\n"
        let members = try await inferring(objects) { $0.omittedColumns = ["y"] }
        #expect(members["y"]?.doubts == [.leftOut(.chosen)] && members["x"]?.rules != nil)
        // All objects are read, although they have one member more than a schema can have fields.
        let wide = (1...5).map { row in
            "{" + (0...100).map { #""c\#($0)":"\#(row)-\#($0)""# }.joined(separator: ",") + "}\n"
        }
        let narrowed = try await inferring(wide.joined()) { $0.omittedColumns = ["c50"] }
        #expect(narrowed.schema?.fields.count == 100 && narrowed["c7"]?.values == 5)
        #expect(try await members.validating(Array(objects.utf8)).outcomes == [2, 0, 0, 0])
        await #expect(throws: InferenceError.unknownKey("id")) {
            try await inferring(text) { options in
                options.omittedColumns = ["bad", "id"]
                options.key = .columns(["id"])
            }
        }
    }

    @Test func `N11: a field has the name that was chosen, and an import finds its column`() async throws {
        let text = "id,Postal Code,postal_code,status\n1,a,b,c\n2,d,e,f\n"
        let proposal = try await inferring(text) {
            $0.names = ["Postal Code": "zip", "status": "state", "id": "username"]
        }
        #expect(proposal["Postal Code"]?.rules?.name == "zip" && proposal["status"]?.rules?.name == "state")
        #expect(proposal["status"]?.rules?.title == "status" && proposal["status"]?.doubts == [])
        #expect(proposal.schema?.primaryKey.name == "username")
        #expect(try await proposal.validating(Array(text.utf8)).outcomes == [2, 0, 0, 0])
    }

    @Test(
        "N11: a name that a field cannot have is refused with the reason",
        arguments: [
            ("a", "Zip", NameProblem.malformed), ("a", "", .malformed), ("a", "password_hash", .reserved),
            ("a", "username", .reserved), ("a", "password", .reserved), ("a", "b", .taken), ("a", "post_code", .taken),
            ("pwd", "word", .secret),
        ])
    func refused(header: String, name: String, problem: NameProblem) async throws {
        await #expect(throws: InferenceError.unusableName(name, column: header, problem)) {
            try await inferring("id,a,b,Post Code,pwd\n1,2,3,4,5\n") { $0.names = [header: name] }
        }
    }

    @Test func `N11: field names must differ, and a change to a column that does not exist is an error`() async throws {
        let text = "id,a,b\n1,2,3\n"
        await #expect(throws: InferenceError.unusableName("c_1", column: "b", .taken)) {
            try await inferring(text) { $0.names = ["a": "c1", "b": "c_1"] }
        }
        for change: @Sendable (inout InferenceOptions) -> Void in [
            { $0.names = ["d": "x"] }, { $0.looseColumns = ["d"] }, { $0.strictColumns = ["d"] },
            { $0.omittedColumns = ["d"] },
        ] {
            await #expect(throws: InferenceError.unknownColumn("d")) { try await inferring(text, change) }
        }
    }

    // MARK: Unusual values

    @Test func `the rarest of few values come first, each with its first line`() async throws {
        let values = ["red", "blue", "red", "gren", "blue", "red"]
        let proposal = try await column(of: values)
        #expect(
            proposal.unusual == [
                .rare("gren", line: 5, count: 1), .rare("blue", line: 3, count: 2), .rare("red", line: 2, count: 3),
            ])
    }

    @Test func `a column of many values shows the shortest and the longest, and a secret column shows none`()
        async throws
    {
        let values = (0..<60).map { "value \($0 + 10)" } + ["x", String(repeating: "long ", count: 100), "y"]
        let unusual = try await column(of: values).unusual
        #expect(unusual.map(\.oddity) == [.shortest, .longest] && unusual.map(\.line) == [62, 63])
        #expect(unusual[0].text == "x" && unusual[1].text == String(repeating: "long ", count: 40))
        #expect(try await column(of: values, named: "pin").unusual == [])
        #expect(try await column(of: values, named: "password").unusual == [])
    }
}

extension UnusualValue {
    fileprivate static func rare(_ text: String, line: Int, count: Int) -> UnusualValue {
        UnusualValue(text: text, line: line, oddity: .rare(count: count))
    }
}
