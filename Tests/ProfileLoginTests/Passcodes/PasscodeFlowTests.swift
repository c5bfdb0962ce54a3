import ProfileCore
import ProfileLogin
import ProfileStore
import SecretHashing
import Testing
import Watchdog

@Suite(.watched) struct PasscodeFlowTests {
    /// Makes all entries, and returns the request that the last one produces.
    private func enter(
        _ kind: PasscodeFlow.Kind, _ entries: String...
    ) throws(PasscodeFlowError) -> PasscodeFlow.Request? {
        var flow = PasscodeFlow(kind)
        var request: PasscodeFlow.Request?
        for entry in entries {
            #expect(request == nil, "a request came before the last entry")
            request = try flow.enter(Secret(entry))
        }
        return request
    }

    @Test func `P4: titles, entries and the alert are the specified ones`() {
        #expect(PasscodeFlow.Kind.create.title == "Create Pass Code")
        #expect(PasscodeFlow.Kind.validate.title == "Validate Pass Code")
        #expect(PasscodeFlow.Kind.edit.title == "Edit Pass Code")
        #expect(PasscodeFlow.Kind.allCases.map(\.entries.count) == [2, 1, 3])
        #expect(PasscodeFlow.messageTitle == "Error")
        #expect(PasscodeFlowError.mismatch.message == "Pass codes do not match")
    }

    @Test func `P1, P5: two entries that match create, others do not`() throws {
        #expect(try enter(.create, "appleworks1", "appleworks1") == .create(new: Secret("appleworks1")))
        #expect(throws: PasscodeFlowError.mismatch) { try enter(.create, "appleworks1", "appleworks2") }
        #expect(throws: PasscodeFlowError.violation(.empty)) { try enter(.create, "") }
        #expect(throws: PasscodeFlowError.violation(.tooShort(minimum: 8))) { try enter(.create, "apple") }
    }

    @Test func `P2, P5: one entry validates, whatever the policy says of it`() throws {
        #expect(try enter(.validate, "parislondon") == .validate(Secret("parislondon")))
        #expect(try enter(.validate, "old") == .validate(Secret("old")))
    }

    @Test func `P3, P5: an edit needs the present passcode, and twice a new one that differs`() throws {
        #expect(
            try enter(.edit, "marsvenus", "morningafternoon", "morningafternoon")
                == .edit(present: Secret("marsvenus"), new: Secret("morningafternoon")))
        #expect(throws: PasscodeFlowError.mismatch) {
            try enter(.edit, "marsvenus", "morningafternoon1", "morningafternoon2")
        }
        #expect(throws: PasscodeFlowError.notDifferent) { try enter(.edit, "marsvenus", "marsvenus") }
    }

    @Test func `P3, P6: entries are compared as they will be hashed, in NFC`() throws {
        #expect(throws: PasscodeFlowError.notDifferent) { try enter(.edit, "caf\u{E9}1234", "cafe\u{301}1234") }
        #expect(try enter(.create, "caf\u{E9}1234", "cafe\u{301}1234") != nil)
    }

    @Test func `P1: after a mismatch the flow asks for the new passcode again, and after the last entry it ends`()
        throws
    {
        var flow = PasscodeFlow(.edit)
        #expect(try flow.enter(Secret("marsvenus")) == nil)
        #expect(throws: PasscodeFlowError.violation(.tooShort(minimum: 8))) { try flow.enter(Secret("short")) }
        #expect(flow.prompt == .new)
        #expect(try flow.enter(Secret("morningafternoon")) == nil)
        #expect(throws: PasscodeFlowError.mismatch) { try flow.enter(Secret("morning")) }
        #expect(flow.prompt == .new)
        #expect(try flow.enter(Secret("eveningnight")) == nil)
        #expect(
            try flow.enter(Secret("eveningnight")) == .edit(present: Secret("marsvenus"), new: Secret("eveningnight")))
        #expect(flow.prompt == nil)
        #expect(try flow.enter(Secret("eveningnight")) == nil)
    }
}
