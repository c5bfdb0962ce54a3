import ProfileCore
import ProfileForm
import Testing
import Watchdog

/// Forms whose primary key consists of other fields.
@Suite(.watched) struct KeyOfPartsFormTests {
    private func form(
        key: String = #"["site", "number"]"#, values: [String: String] = [:]
    ) throws -> FormState {
        let schema = try ProfileSchema(
            parsing: """
                {"profiles": {"key": \(key)}, "fields": [
                  {"name": "username", "constraints": {"required": true, "unique": true}},
                  {"name": "site"}, {"name": "number", "type": "integer"}]}
                """)
        var named: [FieldName: String] = [:]
        for (name, value) in values { named[try .named(name)] = value }
        return FormState(ProfileValidator(schema), on: .someDay, values: named)
    }

    @Test func `F10: the key follows its parts, and does not take the focus`() throws {
        var form = try form()
        #expect(form.focusOrder.map(\.text) == ["site", "number"])
        form.handle(.focus(try .named("site")))
        form.type("a/b")
        form.handle(.return)
        #expect(try form["username"].text == "")
        form.type("07")
        #expect(try form["username"].text == #"a\/b/7"#)
        let profile = form.handle(.submit).compactMap { effect in
            if case .submitted(let profile) = effect { profile } else { nil }
        }
        #expect(profile.map(\.username) == [#"a\/b/7"#])
        // A key that is taken can only be changed by its parts.
        form.report([ValidationIssue(.username, .duplicate(line: nil))])
        #expect(try form.focus == .named("site") && form["username"].issue != nil)
        form.type("c")
        #expect(try form["username"].issue == nil)
    }

    @Test func `a stored key without its parts stays, and other rules make a key computed`() throws {
        let kept = try form(values: ["username": "x", "site": "a"])
        #expect(try kept["username"].isEnabled && kept["username"].text == "x")
        let stored = try form(key: #""row""#, values: ["username": "x", "site": "a", "number": "1"])
        #expect(try stored["username"].isEnabled)
        let computed = stored.under(try form().validator)
        #expect(try computed["username"].text == "x" && !computed["username"].isEnabled)
        #expect(try computed.under(stored.validator)["username"].isEnabled)
        // The stored key lasts until a part changes.
        var changed = computed
        changed.handle(.focus(try .named("site")))
        changed.type("b")
        #expect(try changed["username"].text == "ab/1")
        let lacking = try form(key: #""row""#, values: ["username": "x", "site": "a"]).under(kept.validator)
        #expect(try lacking["username"].text == "x" && lacking["username"].isEnabled)
    }
}
