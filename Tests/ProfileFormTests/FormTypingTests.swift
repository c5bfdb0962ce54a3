import ProfileCore
import ProfileForm
import Testing
import Watchdog

/// What typing does to a field's text, its caret and its error slot.
@Suite(.watched) struct FormTypingTests {
    static let lorem = "Lorem Ipsum is simply dummy text of the printing and typesetting industry."

    @Test(
        "F1: a sentence typed into a field leaves exactly its longest length",
        arguments: [
            ("username", 10), ("password", 64), ("phone", 9), ("address", 70), ("postal_code", 5), ("birthday", 10),
        ])
    func limit(_ name: String, _ length: Int) throws {
        var form = try FormState.standard(editing: name)
        #expect(Self.lorem.count == 74)
        form.type(Self.lorem)
        let field = try form.active
        #expect(field.text.count == length)
        #expect(field.caret == length)
        if !field.rules.isSecret, field.rules.mask == nil { #expect(Self.lorem.hasPrefix(field.text)) }
    }

    @Test(
        "F2: a phone shows its hyphen with the fifth digit, and one only",
        arguments: [
            ("7", "7"), ("7876", "7876"), ("78761", "7876-1"), ("78761241", "7876-1241"),
            ("1467834527891471247", "1467-8345"), ("7876-1241", "7876-1241"), ("7876--12-41", "7876-1241"),
            ("78-761241", "7876-1241"), ("7876-", "7876"), ("12a4 678", "12a4- 678"),
        ])
    func phone(_ typed: String, _ shown: String) throws {
        var form = try FormState.standard(editing: "phone")
        form.type(typed)
        #expect(try form.active.text == shown)
        #expect(try form.active.caret == shown.count)
    }

    @Test func `F2: Backspace crosses the hyphen, and so does Delete`() throws {
        var form = try FormState.standard(editing: "phone")
        form.type("78761241")
        form.handle(.moveCaret(to: 5))
        #expect(try form.active.caret == 4)
        form.handle(.backspace)
        #expect(try form.active.text == "7871-241" && form.active.caret == 3)
        form.handle(.type("6"))
        form.handle(.delete)
        #expect(try form.active.text == "7876-241" && form.active.caret == 4)
        for expected in ["787", "78", "7", ""] {
            form.handle(.deleteToEnd)
            form.handle(.backspace)
            #expect(try form.active.text == expected)
        }
    }

    @Test func `F2: a digit in the middle keeps the caret behind it, also across the hyphen`() throws {
        var form = try FormState.standard(editing: "phone")
        form.type("787612")
        form.handle(.moveCaret(to: 2))
        form.handle(.type("9"))
        #expect(try form.active.text == "7897-612" && form.active.caret == 3)
        form.handle(.moveRight)
        form.handle(.type("0"))
        #expect(try form.active.text == "7897-0612" && form.active.caret == 6)
        #expect(form.handle(.type("1")).isRefusal)
        #expect(try form.active.text == "7897-0612")
    }

    @Test func `F2: other characters stay, and are refused at the end of the field`() throws {
        var form = try FormState.standard(editing: "phone")
        form.type("7876a241")
        #expect(try form.active.issue == nil)
        let ended = form.handle(.endEditing).ended
        #expect(ended.map(\.field) == [try FieldName.named("phone")])
        #expect(ended.first?.code == .badFormat)
        #expect(try form["phone"].text == "7876-a241")
    }

    @Test(
        "F3: what was typed is judged when the field ends, and reported for that field",
        arguments: [
            ("username", "skboard", nil), ("username", "マーン224s한글djfタklsdf", ValidationIssue.Code.badCharacter),
            ("postal_code", "13456", nil), ("birthday", "19980115", nil),
        ])
    func ending(_ name: String, _ typed: String, _ code: ValidationIssue.Code?) throws {
        var form = try FormState.standard(editing: name)
        form.type(typed)
        #expect(try form[name].issue == nil)
        let ended = form.handle(.endEditing).ended
        #expect(ended == [Ended(field: try .named(name), code: code)])
        #expect(try form[name].issue?.code == code)
    }

    @Test func `F5: an empty required field has a message, and an empty optional one has none`() throws {
        var form = try FormState.standard(editing: "phone")
        form.handle(.endEditing)
        #expect(try form["phone"].message == "Phone is required")
        form.handle(.focus(try .named("birthday")))
        #expect(form.handle(.endEditing).ended == [Ended(field: try .named("birthday"), code: nil)])
        #expect(try form["birthday"].message == nil)
        #expect(form.fields.count { $0.issue != nil } == 1)
    }

    @Test func `F5: a message follows what is typed and goes as soon as the value is valid`() throws {
        var form = try FormState.standard(editing: "username")
        form.type("s")
        form.handle(.endEditing)
        #expect(try form["username"].message == "Username should have at least 2 characters")
        form.handle(.focus(.username))
        #expect(form.handle(.type(" ")).issuesChanged == [])
        #expect(form.handle(.type("x")).issuesChanged == [.username])
        #expect(try form["username"].issue?.code == .badCharacter)
        form.handle(.backspace)
        #expect(form.handle(.backspace).issuesChanged == [])
        #expect(form.handle(.type("k")).issuesChanged == [.username])
        #expect(try form["username"].message == nil)
        // The message is not shown again before the field ends.
        form.handle(.backspace)
        #expect(try form["username"].message == nil)
        #expect(try form["username"].isValid == false)
    }

    @Test(
        "F5: an error names the first character that is not accepted, and where a person finds it",
        arguments: [
            ("username", "abcdé漢", ": é at 5"), ("username", "  aé", ": é at 4"), ("username", "ab c", ": space at 3"),
            ("username", "e\u{301}a", ": e\u{301} at 1"), ("username", "a\u{200B}", ": U+200B at 2"),
            ("username", "👨‍👩‍👧é", ": 👨‍👩‍👧 at 1"), ("phone", "12a4 678", ": a at 3"),
            ("phone", "1234x", ": x at 6"), ("address", "1 A\tB", ": tab at 4"), ("password", "aK8é", "only"),
        ])
    func refused(_ name: String, _ typed: String, _ ending: String) throws {
        var form = try FormState.standard(editing: name)
        form.type(typed)
        form.handle(.endEditing)
        let message = try #require(try form[name].message)
        #expect(message.hasSuffix(ending), "\(message)")
        #expect(name != "password" || !message.contains("é"))
    }

    @Test func `F5: typing changes the character that a message names, but not a message of the schema`() throws {
        var form = try FormState.standard(editing: "username")
        form.type("aé漢")
        form.handle(.endEditing)
        form.handle(.focus(.username))
        form.handle(.moveToStart)
        #expect(form.handle(.type("b")).issuesChanged == [.username])
        #expect(try form["username"].message?.hasSuffix("only: é at 3") == true)
        #expect(form.judge("a?", in: .username, label: "Name").message?.hasSuffix("only: ? at 2") == true)
        let words = #"{"name": "x", "profiles": {"characters": ["digits"], "message": {"bad_character": "Digits!"}}}"#
        var other = try FormState.custom(words, editing: "x")
        other.type("1a")
        other.handle(.endEditing)
        #expect(try other["x"].message == "Digits!")
    }

    @Test func `P12: a secret is revealed until its field ends, and never in the text of the field`() throws {
        var form = try FormState.standard(editing: "password")
        form.type("aK8oio")
        #expect(try form.active.visibleText == "••••••")
        form.handle(.revealSecret(true))
        #expect(try form.active.visibleText == "aK8oio" && form.active.visibleCaret == 6)
        #expect(try form.active.text == "••••••")
        form.type("x")
        #expect(try form.active.visibleText == "aK8oiox")
        form.handle(.next)
        #expect(try form["password"].visibleText == "•••••••" && !form["password"].isRevealed)
        form.handle(.previous)
        #expect(try form.active.visibleText == "•••••••")
        form.handle(.revealSecret(true))
        form.handle(.submit)
        #expect(try form["password"].visibleText == "•••••••")
        form.handle(.focus(.username))
        #expect(form.handle(.revealSecret(true)).isEmpty)
    }

    @Test func `a secret is shown as dots and comes out as it was typed`() throws {
        var form = try FormState.standard(editing: "password")
        form.type("pä")
        form.handle(.type("\u{301}"))
        #expect(try form.active.text == "••" && form.active.caret == 2)
        form.handle(.moveLeft)
        form.type("K8")
        #expect(try form.active.text == "••••" && form.active.caret == 3)
        #expect(!"\(form)".contains("pK8"))
        var shown = ""
        dump(form, to: &shown)
        #expect(!shown.contains("pK8"))
    }

    @Test func `characters of several scalars are one step for the caret and for Backspace`() throws {
        var form = try FormState.custom(
            #"{"name": "note", "type": "string", "constraints": {"maxLength": 4}}"#, editing: "note")
        form.type("e")
        form.handle(.type("\u{301}"))
        form.type("👨‍👩‍👧")
        form.type("🇸🇬x")
        #expect(try form.active.text == "e\u{301}👨‍👩‍👧🇸🇬x" && form.active.caret == 4)
        #expect(form.handle(.type("y")).isRefusal)
        // A mark that joins the last character takes no room.
        #expect(!form.handle(.type("\u{302}")).isRefusal)
        #expect(try form.active.text.count == 4)
        form.handle(.backspace)
        form.handle(.backspace)
        #expect(try form.active.text == "e\u{301}👨‍👩‍👧" && form.active.caret == 2)
        form.handle(.moveLeft)
        form.handle(.moveLeft)
        form.handle(.delete)
        #expect(try form.active.text == "👨‍👩‍👧" && form.active.caret == 0)
    }

    @Test func `each of the deletion keys deletes the part of the line that it names`() throws {
        var form = try FormState.standard(editing: "address")
        form.type("12 Main Street  ")
        form.handle(.deleteWord)
        #expect(try form.active.text == "12 Main ")
        form.handle(.moveCaret(to: 3))
        form.handle(.deleteToStart)
        #expect(try form.active.text == "Main " && form.active.caret == 0)
        form.handle(.moveRight)
        form.handle(.deleteToEnd)
        #expect(try form.active.text == "M" && form.active.caret == 1)
        form.handle(.moveToStart)
        #expect(try form.active.caret == 0)
        #expect(form.handle(.backspace).isEmpty)
        form.handle(.moveToEnd)
        #expect(try form.active.caret == 1)
        #expect(form.handle(.delete).isEmpty)
    }

    @Test func `a stored value that is too long for newer rules is shown whole and can be shortened`() throws {
        var form = FormState(
            ProfileValidator(.standard), on: .someDay,
            values: [.username: "longername12", try .named("phone"): "7876-1241"])
        form.handle(.focus(.username))
        #expect(try form.active.text == "longername12")
        #expect(form.handle(.type("3")).isRefusal)
        form.handle(.backspace)
        #expect(try form.active.text == "longername1")
        #expect(try !form["phone"].isChanged && form["phone"].text == "7876-1241")
    }
}
