import ProfileCore
import ProfileForm
import Testing
import Watchdog

/// F8: the question of a UIKit text field, whether its characters may change.
@Suite(.watched) struct FormDelegateTests {
    /// A delegate whose form has the focus in a field with some text.
    private func delegate(_ name: String, _ text: String = "") throws -> Host {
        var form = try FormState.standard(editing: name)
        form.type(text)
        return Host(form)
    }

    /// The caller of the delegate. It is a class, so a call that changes the form can stand in an expectation.
    private final class Host {
        var delegate: FormDelegate

        init(_ form: FormState) { delegate = FormDelegate(form) }

        var form: FormState {
            get { delegate.form }
            set { delegate.form = newValue }
        }

        func shouldChangeCharacters(in range: Range<Int>, replacement: String) -> Bool {
            delegate.shouldChangeCharacters(in: range, replacement: replacement)
        }

        func takeEffects() -> [FormEffect] { delegate.takeEffects() }
    }

    @Test func `F8: a character is answered with true, and the form has it too`() throws {
        let delegate = try delegate("username", "sk")
        #expect(delegate.shouldChangeCharacters(in: 2..<2, replacement: "b"))
        #expect(delegate.shouldChangeCharacters(in: 1..<2, replacement: ""))
        #expect(try delegate.form.active.text == "sb" && delegate.form.active.caret == 1)
        #expect(!delegate.takeEffects().isEmpty)
        #expect(delegate.takeEffects().isEmpty)
    }

    @Test func `F8: several characters at once are auto-fill`() throws {
        let delegate = try delegate("username", "sk")
        #expect(!delegate.shouldChangeCharacters(in: 0..<2, replacement: "skboard "))
        #expect(try delegate.form["username"].text == "skboard")
        #expect(delegate.form.focus == .password)
    }

    @Test func `F8: with spelling correction, several characters at once are a change like any other`() throws {
        let delegate = try delegate("address", "12 Mian St")
        delegate.form.setCorrectsSpelling(true, try .named("address"))
        #expect(delegate.shouldChangeCharacters(in: 3..<7, replacement: "Main"))
        #expect(try delegate.form.active.text == "12 Main St")
    }

    @Test func `F8: an oversized replacement is refused whole`() throws {
        let delegate = try delegate("username", "skboard")
        delegate.form.setCorrectsSpelling(true, .username)
        #expect(!delegate.shouldChangeCharacters(in: 7..<7, replacement: "1234"))
        #expect(try delegate.form.active.text == "skboard")
        #expect(delegate.takeEffects().isRefusal)
        delegate.form.setCorrectsSpelling(false, .username)
        #expect(!delegate.shouldChangeCharacters(in: 0..<7, replacement: "skboardskboard"))
        #expect(try delegate.form.active.text == "skboard")
    }

    @Test(
        "F8: a range that does not fit the text is false",
        arguments: [-1..<0, 0..<4, 3..<4, 4..<4, 5..<9, 1..<2, Int.min..<Int.max])
    func range(_ range: Range<Int>) throws {
        let schema = #"{"name": "note"}"#
        var form = try FormState.custom(schema, editing: "note")
        // Two code units of UTF-16 and one.
        form.type("😀x")
        let delegate = Host(form)
        #expect(!delegate.shouldChangeCharacters(in: range, replacement: "y"))
        #expect(try delegate.form.active.text == "😀x")
        #expect(delegate.shouldChangeCharacters(in: 0..<2, replacement: ""))
        #expect(try delegate.form.active.text == "x")
    }

    @Test func `F8: without an active field the answer is false`() throws {
        let delegate = Host(try .standard())
        #expect(!delegate.shouldChangeCharacters(in: 0..<0, replacement: "x"))
        #expect(delegate.takeEffects().isEmpty)
    }

    @Test func `F8: where the mask's literals move, the answer is false and the form has the new text`() throws {
        let delegate = try delegate("phone", "787")
        #expect(delegate.shouldChangeCharacters(in: 3..<3, replacement: "6"))
        #expect(!delegate.shouldChangeCharacters(in: 4..<4, replacement: "1"))
        #expect(try delegate.form.active.text == "7876-1")
        #expect(delegate.shouldChangeCharacters(in: 6..<6, replacement: "2"))
        // The hyphen alone cannot be taken away.
        #expect(!delegate.shouldChangeCharacters(in: 4..<5, replacement: ""))
        #expect(try delegate.form.active.text == "7876-12")
        #expect(!delegate.shouldChangeCharacters(in: 0..<1, replacement: ""))
        #expect(try delegate.form.active.text == "8761-2")
    }

    @Test func `F8: a secret's range counts what was typed, not the dots`() throws {
        let delegate = try delegate("password", "a😀b")
        #expect(delegate.shouldChangeCharacters(in: 3..<4, replacement: ""))
        #expect(try delegate.form.active.text == "••")
        #expect(!delegate.shouldChangeCharacters(in: 2..<3, replacement: ""))
    }
}
