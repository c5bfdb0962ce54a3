import ProfileCore
import ProfileForm
import ProfileTesting
import Testing
import Watchdog

@Suite(.watched) struct FormTypingTests {
    @Test(
        "F1: a sentence typed into a field is cut to the maximum length of the field",
        arguments: [
            ("username", 10), ("password", 64), ("phone", 9), ("address", 70), ("postal_code", 5), ("birthday", 10),
        ])
    func longest(_ name: String, _ length: Int) throws {
        let sentence = "Lorem Ipsum is simply dummy text of the printing and typesetting industry."
        var form = FormBuilder().editing(name).form
        form.typeText(sentence)
        let field = try #require(form.focus.flatMap { form[$0] })
        #expect(field.text.count == length)
    }

    @Test func `typing into a field moves there first, and a field that is not there takes nothing`() throws {
        var form = FormBuilder().form
        let phone = FieldName.phone
        form.typeText("78761241", into: phone)
        #expect(form.focus == phone)
        #expect(form[phone]?.text == "7876-1241")
        let nobody = "nobody" as FieldName
        #expect(form.typeText("x", into: nobody).isEmpty)
        #expect(form.focus == phone)
    }

    @Test func `a filled form submits, and one that holds a stored profile begins unchanged`() throws {
        var form = FormBuilder().filled().form
        let submitted = form.handle(.submit).contains { if case .submitted = $0 { true } else { false } }
        #expect(submitted)
        let stored = FormBuilder().holding(["username": "anna", "birthday": "1998-01-15"]).form
        #expect(!stored.isChanged)
        #expect(stored.fields.map(\.text) == ["anna", "", "", "", "", "1998.01.15"])
    }
}
