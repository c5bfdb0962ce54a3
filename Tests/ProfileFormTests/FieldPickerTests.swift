import ProfileCore
import ProfileForm
import Testing
import Watchdog

/// Fields that take one of some values.
@Suite(.watched) struct FieldPickerTests {
    private static let fields = """
        {"name": "level", "constraints": {"enum": ["basic", "silver", "gold"]}},
        {"name": "member", "type": "boolean", "constraints": {"required": true}, "trueValues": ["ja", "j"],
         "falseValues": ["nein"]},
        {"name": "shade", "constraints": {"required": true, "enum": ["R", "Ré", "Réd"]}}
        """

    private func form(editing name: String) throws -> FormState { try FormState.custom(Self.fields, editing: name) }

    @Test func `typing keeps the choices that contain the text, and selects the first that begins with it`() throws {
        var form = try form(editing: "level")
        #expect(try form.active.picker?.choices.map(\.title) == ["", "basic", "silver", "gold"])
        form.type("S")
        #expect(try form.active.picker?.matches.map(\.title) == ["basic", "silver"])
        #expect(try form.active.picker?.selected?.title == "silver")
        #expect(try form.active.visibleText == "S" && form.active.isChoosing)
        form.type("i")
        #expect(try form.active.picker?.matches.map(\.title) == ["basic", "silver"])
        form.handle(.next)
        #expect(try form["level"].text == "silver" && !form["level"].isChoosing && form["level"].message == nil)
    }

    @Test func `the first letter jumps to the next value though there is one already`() throws {
        var form = try form(editing: "level")
        for (letter, value) in [("g", "gold"), ("b", "basic"), ("s", "silver")] {
            form.type(letter)
            form.handle(.endEditing)
            #expect(try form["level"].text == value)
            form.handle(.focus(try .named("level")))
        }
    }

    @Test func `arrows go from value to value and no further than the ends`() throws {
        var form = try form(editing: "level")
        var seen: [String] = []
        for _ in 0..<5 {
            form.handle(.moveRight)
            seen.append(try form.active.text)
        }
        #expect(seen == ["basic", "silver", "gold", "gold", "gold"])
        #expect(try !form.active.isChoosing)
        form.handle(.previousChoice)
        #expect(try form.active.text == "silver" && form.active.caret == 6)
        form.handle(.moveToStart)
        #expect(try form.active.isEmpty)
        form.handle(.moveToEnd)
        #expect(try form.active.text == "gold")
    }

    @Test func `a field that is not required can be emptied again, and another one says that it is required`() throws {
        var form = try form(editing: "level")
        for event in [FormEvent.backspace, .delete, .deleteToStart, .deleteToEnd, .deleteWord] {
            form.handle(.choose("gold"))
            #expect(try form.active.choice?.title == "gold")
            form.handle(event)
            form.handle(.endEditing)
            #expect(try form["level"].isEmpty && form["level"].message == nil)
            form.handle(.focus(try .named("level")))
        }
        form.handle(.focus(try .named("shade")))
        #expect(try form.active.picker?.choices.map(\.title) == ["R", "Ré", "Réd"])
        form.handle(.moveLeft)
        #expect(try form.active.text == "Réd")
        form.handle(.deleteToStart)
        form.handle(.endEditing)
        #expect(try form["shade"].message == "Shade is required")
    }

    @Test func `a boolean is Yes or No, and stored as one`() throws {
        var form = try form(editing: "member")
        #expect(try form.active.picker?.choices.map(\.title) == ["Yes", "No"])
        for (typed, text, title) in [
            ("y", "ja", "Yes"), ("n", "nein", "No"), ("J", "ja", "Yes"), ("No", "nein", "No"), ("j", "ja", "Yes"),
            ("yes", "ja", "Yes"),
        ] {
            form.type(typed)
            form.handle(.endEditing)
            #expect(try form["member"].text == text && form["member"].visibleText == title, "\(typed)")
            form.handle(.focus(try .named("member")))
        }
        form.handle(.focus(.username))
        form.type("ann")
        form.handle(.focus(try .named("shade")))
        form.type("r")
        #expect(form.handle(.submit).submitted?[try .named("member")] == "true")
        #expect(try form["member"].hint == "Yes or No")
    }

    @Test func `a choice that equals the typed text comes before a choice that begins with it`() throws {
        for (typed, value) in [("R", "R"), ("re", "Ré"), ("RED", "Réd"), ("ed", "Réd")] {
            var form = try form(editing: "shade")
            form.type(typed)
            form.handle(.endEditing)
            #expect(try form["shade"].text == value, "\(typed)")
        }
    }

    @Test func `a typed value that is not a choice stays in the field, and is an issue`() throws {
        var form = try form(editing: "level")
        form.type("platinum")
        #expect(try form.active.picker?.matches.isEmpty == true)
        #expect(form.handle(.next).ended.first?.code == .notAllowed)
        #expect(try form["level"].message == "Level should be basic, silver or gold")
        form.handle(.previous)
        // The user can correct the value like any text.
        form.handle(.backspace)
        #expect(try form.active.text == "platinu")
        form.handle(.deleteToStart)
        form.type("go")
        form.handle(.next)
        #expect(try form["level"].text == "gold" && form["level"].message == nil)
    }

    @Test func `a stored value that is no longer a choice is shown, and can be kept or changed`() throws {
        let schema = try FormState.custom(Self.fields).schema
        let level = try FieldName.named("level")
        var form = FormState(
            ProfileValidator(schema), on: .someDay,
            values: [.username: "ann", level: "iron", try .named("member"): "false", try .named("shade"): "R"])
        #expect(try form["level"].visibleText == "iron" && form["member"].visibleText == "No")
        #expect(try form["level"].picker?.choices.last.map { $0.title == "iron" && !$0.isListed } == true)
        form.handle(.focus(level))
        form.handle(.moveLeft)
        #expect(try form.active.text == "gold")
        form.handle(.moveRight)
        #expect(try form.active.text == "iron" && !form.isChanged)
        // The field keeps the value, but the form does not submit it, because no invalid profile is stored.
        #expect(form.handle(.submit).rejected?.issues.map(\.code) == [.notAllowed])
        form.handle(.choose("silver"))
        #expect(form.handle(.submit).submitted?[level] == "silver")
    }

    @Test func `closing the list of choices keeps the value from before`() throws {
        var form = try form(editing: "level")
        form.handle(.choose("gold"))
        form.handle(.type(" "))
        #expect(try form.active.isChoosing && form.active.picker?.selected?.title == "gold")
        form.handle(.previousChoice)
        form.type("b")
        form.handle(.closeChoices)
        #expect(try form.active.text == "gold" && !form.active.isChoosing && form.active.picker?.matches.count == 4)
        form.handle(.openChoices)
        form.handle(.previousChoice)
        #expect(try form.active.text == "gold" && form.active.visibleText == "silver")
        form.handle(.next)
        #expect(try form["level"].text == "silver")
    }

    @Test func `F6: in the last field Return first takes the choice that the keys selected, and then submits`() throws {
        var form = try form(editing: "member")
        form.type("y")
        #expect(form.handle(.return).steps == ["end member", "member > shade"])
        form.type("ré")
        // The typed text equals one choice, so Return takes this choice and submits at once.
        #expect(form.handle(.return).rejected != nil)
        #expect(try form["shade"].text == "Ré")
        form.handle(.focus(try .named("shade")))
        form.handle(.openChoices)
        form.handle(.nextChoice)
        #expect(form.handle(.return).steps == [])
        #expect(try form.active.text == "Réd" && !form.active.isChoosing)
        #expect(form.handle(.return).rejected != nil)
    }

    @Test func `F7: a paste searches the choices, and auto-fill must be a whole choice`() throws {
        var form = try form(editing: "level")
        form.handle(.choose("basic"))
        #expect(!form.handle(.paste("GOLD\n")).isCut)
        form.handle(.endEditing)
        #expect(try form["level"].text == "gold")
        form.handle(.focus(try .named("level")))
        form.handle(.autoFill(" Silver "))
        #expect(try form["level"].text == "silver" && form.focus?.text == "member")
        form.handle(.previous)
        #expect(form.handle(.autoFill("gol")).isRefusal)
        #expect(try form.active.text == "silver")
    }

    @Test func `under other rules the choices change, and the picked value stays`() throws {
        var form = try form(editing: "level")
        form.type("go")
        let schema = try FormState.custom(#"{"name": "level", "constraints": {"enum": ["gold", "iron"]}}"#).schema
        form.handle(.endEditing)
        form = form.under(ProfileValidator(schema))
        #expect(try form["level"].text == "gold" && form["level"].isValid)
        #expect(try form["level"].picker?.choices.map(\.title) == ["", "gold", "iron"])
    }

    @Test func `a list of thousands is narrowed and gone through`() throws {
        let values = (0..<3_000).map { "\"Town \($0)\"" }.joined(separator: ",")
        var form = try FormState.custom(#"{"name": "town", "constraints": {"enum": [\#(values)]}}"#, editing: "town")
        form.type("town 29")
        #expect(try form.active.picker?.matches.count == 111)
        #expect(try form.active.picker?.selected?.title == "Town 29")
        for _ in 0..<110 { form.handle(.nextChoice) }
        form.handle(.nextChoice)
        #expect(try form.active.picker?.selected?.title == "Town 2999")
        #expect(try form.active.hint == "one of 3000 values, or nothing")
    }

    @Test func `numbers and days of a list are shown as they are typed`() throws {
        let fields = #"""
            {"name": "size", "type": "number", "decimalChar": ",", "constraints": {"enum": ["1,5", "2"]}},
            {"name": "day", "type": "date", "format": "%d.%m.%Y", "constraints": {"enum": ["31.12.2020"]}}
            """#
        var form = try FormState.custom(fields, editing: "size")
        #expect(try form.active.picker?.choices.map(\.title) == ["", "1,5", "2"])
        form.type("2,0")
        form.handle(.next)
        #expect(try form["size"].text == "2" && form["size"].message == nil)
        form.type("31")
        form.handle(.endEditing)
        #expect(try form["day"].text == "31.12.2020" && form["day"].message == nil)
    }
}
