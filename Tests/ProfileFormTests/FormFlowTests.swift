import ProfileCore
import ProfileForm
import Testing
import Watchdog

/// Focus, auto-fill, paste, submission: what goes beyond one field.
@Suite(.watched) struct FormFlowTests {
    @Test func `F4: addresses can be searched exactly while the postal code is valid`() throws {
        var form = try FormState.standard(editing: "postal_code")
        #expect(!form.isAddressSearchAvailable)
        #expect(form.type("8976").searches == [])
        #expect(form.handle(.type("1")).searches == [true])
        #expect(form.handle(.type("2")).isRefusal)
        #expect(form.isAddressSearchAvailable)
        #expect(form.handle(.endEditing).searches == [])
        #expect(form.isAddressSearchAvailable)
        form.handle(.focus(try .named("postal_code")))
        #expect(form.handle(.backspace).searches == [false])
        form.handle(.deleteToStart)
        #expect(form.type("Lorem").searches == [])
        #expect(!form.isAddressSearchAvailable)
        #expect(form.handle(.autoFill("89761")).searches == [true])
    }

    @Test func `F6: Return goes through the fields in the schema's order, each ends once, and the last submits`() throws
    {
        var form = try FormState.standard()
        try form.fill()
        form.handle(.focus(.username))
        var steps: [String] = []
        for _ in 1...6 { steps += form.handle(.return).steps }
        #expect(
            steps == [
                "end username", "username > password", "end password", "password > phone", "end phone",
                "phone > address", "end address", "address > postal_code", "end postal_code",
                "postal_code > birthday", "end birthday", "submitted", "birthday > -",
            ])
        #expect(form.focus == nil)
    }

    @Test func `F6: the user can leave a field with a bad value in both directions`() throws {
        var form = try FormState.standard(editing: "username")
        form.type("!")
        #expect(form.handle(.next).steps == ["end username", "username > password"])
        #expect(form.handle(.previous).steps == ["end password", "password > username"])
        #expect(form.handle(.previous).steps == ["end username", "username > birthday"])
        #expect(form.handle(.next).steps == ["end birthday", "birthday > username"])
        #expect(try form["username"].issue != nil)
    }

    @Test func `F6: hidden and disabled fields are skipped, and lose the focus`() throws {
        var form = try FormState.standard(editing: "username")
        form.setHidden(true, .password)
        #expect(form.setEnabled(false, try .named("phone")).isEmpty)
        #expect(form.handle(.return).steps == ["end username", "username > address"])
        #expect(form.handle(.focus(.password)).isEmpty)
        form.setHidden(true, try .named("birthday"))
        form.setEnabled(false, try .named("postal_code"))
        #expect(form.setEnabled(false, try .named("address")).steps == ["end address", "address > -"])
        #expect(form.focusOrder == [.username])
        #expect(form.handle(.previous).steps == ["- > username"])
        #expect(form.handle(.next).isEmpty)
        form.setEnabled(false, .username)
        for event in [FormEvent.next, .previous, .return] { #expect(form.handle(event).isEmpty) }
    }

    @Test func `the focus moves by pages, and to the first and the last field`() throws {
        var form = try FormState.custom((2...36).map { #"{"name": "f\#($0)"}"# }.joined(separator: ","))
        let fields = form.fields.map(\.name)
        #expect(fields.count == 36)
        for (event, number) in [
            (FormEvent.lastField, 36), (.firstField, 1), (.nextPage, 11), (.nextPage, 21), (.previousPage, 11),
            (.nextPage, 21), (.nextPage, 31), (.nextPage, 36), (.nextPage, 36), (.previousPage, 26), (.firstField, 1),
            (.previousPage, 1),
        ] {
            form.handle(event)
            #expect(form.focus == fields[number - 1], "\(event)")
        }
        form.setHidden(true, fields[5])
        form.setEnabled(false, fields[35])
        #expect(form.handle(.nextPage).ended.map(\.field) == [fields[0]])
        #expect(form.focus == fields[11])
        form.handle(.lastField)
        #expect(form.focus == fields[34])
        form.handle(.endEditing)
        form.handle(.previousPage)
        #expect(form.focus == fields[0])
    }

    @Test(
        "F7: a paste inserts what fits and says what was cut",
        arguments: [
            ("username", "skboard", "skboard", false), ("username", "skboardskboard", "skboardskb", true),
            ("phone", "(123) 456-78", "1234-5678", false), ("phone", "+7876-1241", "7876-1241", false),
            ("phone", "78761241 9", "7876-1241", true), ("phone", "tel. ٣", "", false),
            ("phone", "7876-1241\n", "7876-1241", false),
            ("postal_code", "", "", false),
        ])
    func paste(_ name: String, _ text: String, _ shown: String, _ isCut: Bool) throws {
        var form = try FormState.standard(editing: name)
        #expect(form.handle(.paste(text)).isCut == isCut)
        #expect(try form.active.text == shown)
    }

    @Test func `F7: a paste goes to the caret`() throws {
        var form = try FormState.standard(editing: "username")
        form.type("skrd")
        form.handle(.moveCaret(to: 2))
        #expect(!form.handle(.paste("boa")).isCut)
        #expect(try form.active.text == "skboard" && form.active.caret == 5)
        #expect(form.handle(.paste("12345")).isCut)
        #expect(try form.active.text == "skboa123rd" && form.active.caret == 8)
    }

    @Test func `F7: auto-fill replaces, trims, capitalises names and moves on`() throws {
        let fields = #"{"name": "full_name", "profiles": {"contentType": "name"}}, {"name": "town"}"#
        var form = try FormState.custom(fields, editing: "full_name")
        form.type("foo")
        #expect(form.handle(.autoFill("Foo bar ")).steps == ["end full_name", "full_name > town"])
        #expect(try form["full_name"].text == "Foo Bar")
        #expect(form.handle(.autoFill(" new york ")).steps == [])
        #expect(try form["town"].text == "new york")
        #expect(form.focus?.text == "town")
    }

    @Test func `F7: auto-fill that does not fit is refused whole, and a secret is not trimmed`() throws {
        var form = try FormState.standard(editing: "username")
        form.type("sk")
        #expect(form.handle(.autoFill("skboardskboard")).isRefusal)
        #expect(try form.active.text == "sk" && form.focus == .username)
        #expect(form.handle(.autoFill("  ")).isRefusal)
        form.handle(.focus(.password))
        form.handle(.autoFill(" aK8oio "))
        #expect(try form["password"].text.count == 8)
    }

    @Test func `F9: submitting shows every error and focuses the first bad field`() throws {
        var form = try FormState.standard(editing: "birthday")
        form.type("1998")
        let effects = form.handle(.submit)
        #expect(effects.steps == ["end birthday", "rejected", "birthday > username"])
        #expect(effects.rejected?.issues.count == 5)
        #expect(effects.submitted == nil)
        #expect(form.fields.filter { $0.issue == nil }.map(\.name.text) == ["postal_code"])
        #expect(form.focus == .username)
    }

    @Test func `F9: submitting valid values gives a profile with the stored form of each value`() throws {
        var form = try FormState.standard()
        try form.fill()
        form.handle(.focus(try .named("birthday")))
        form.type("19980115")
        let profile = try #require(form.handle(.return).submitted)
        #expect(profile.username == "skboard")
        #expect(profile[try .named("birthday")] == "1998-01-15")
        #expect(profile[try .named("phone")] == "7876-1241")
        #expect(profile[try .named("postal_code")] == nil)
    }

    @Test func `F9: an issue that the store reports is shown at its field until the value changes`() throws {
        var form = try FormState.standard()
        try form.fill()
        #expect(form.handle(.submit).submitted != nil)
        let effects = form.report([ValidationIssue(.username, .duplicate(line: nil))])
        #expect(effects.steps == ["- > username"])
        #expect(try form["username"].message == "Username is taken")
        #expect(form.handle(.backspace).issuesChanged == [.username])
        #expect(try form["username"].message == nil)
    }

    @Test func `a stored profile is edited with its password left as it is`() throws {
        let values: [FieldName: String] = [
            .username: "skboard", try .named("phone"): "7876-1241", try .named("address"): "12 Main St",
            try .named("birthday"): "1998-01-15",
        ]
        var form = FormState(ProfileValidator(.standard), on: .someDay, hasPassword: true, values: values)
        #expect(!form.isChanged)
        #expect(try form["birthday"].text == "1998.01.15")
        form.handle(.focus(.password))
        #expect(form.handle(.endEditing).ended == [Ended(field: .password, code: nil)])
        form.handle(.focus(try .named("phone")))
        form.handle(.backspace)
        #expect(form.isChanged)
        form.type("2")
        #expect(form.handle(.submit).submitted?[try .named("phone")] == "7876-1242")
        form.handle(.backspace)
    }

    @Test func `S6: a stored value is shown in the field's notation, and text that was typed elsewhere unchanged`()
        throws
    {
        let rules = #"{"name": "fee", "type": "number", "decimalChar": ",", "groupChar": "."}"#
        let form = try FormState.custom(rules)
        let fee = try FieldName.named("fee")
        var stored = FormState(form.validator, on: .someDay, values: [.username: "ann", fee: "1.5"])
        #expect(stored[fee]?.text == "1,5")
        #expect(stored.handle(.submit).submitted?[fee] == "1.5")
        var typed = FormState(
            form.validator, on: .someDay, values: [.username: "ann", fee: "1.5"], typed: [fee: "1.234"])
        #expect(typed[fee]?.text == "1.234" && !typed.isChanged)
        #expect(typed.handle(.submit).submitted?[fee] == "1234")
    }

    @Test func `a form under other rules keeps what was typed, and judges it by them`() throws {
        var form = try FormState.standard(editing: "phone")
        form.type("78761241")
        form.handle(.focus(.username))
        form.type("skboard")
        form.handle(.focus(.password))
        form.type("aK8oio")
        let schema = try ProfileSchema(
            parsing: #"""
                {"fields": [
                    {"name": "username", "constraints": {"required": true, "unique": true, "maxLength": 5}},
                    {"name": "phone"}, {"name": "town"},
                    {"name": "password", "constraints": {"required": true, "minLength": 9}, "profiles": {"secret": true}}
                ]}
                """#)
        let changed = form.under(ProfileValidator(schema))
        #expect(changed.fields.map(\.text) == ["skboard", "7876-1241", "", "••••••"])
        #expect(changed.fields.map(\.isValid) == [false, true, true, false])
        #expect(changed.focus == .password && changed.isChanged)
        #expect(changed.fields.allSatisfy { $0.issue == nil })
    }

    @Test func `F10: fields with frames are gone through by position, in their containers`() throws {
        var form = try FormState.standard()
        let right = FormFrame(x: 50, y: 0, width: 40, height: 40)
        form.place(FormFrame(x: 0, y: 20, width: 10, height: 5), .username)
        form.place(FormFrame(x: 0, y: 0, width: 10, height: 5).converted(from: right), .password)
        form.place(FormFrame(x: 0, y: 0, width: 10, height: 5), try .named("phone"))
        form.place(FormFrame(x: 5, y: 20, width: 10, height: 5).converted(from: right), try .named("address"))
        let rest = ["postal_code", "birthday"]
        #expect(form.focusOrder.map(\.text) == ["phone", "password", "username", "address"] + rest)
        form.layoutDirection = .rightToLeft
        #expect(form.focusOrder.map(\.text) == ["password", "phone", "address", "username"] + rest)
        form.place(nil, try .named("phone"))
        #expect(form.focusOrder.map(\.text) == ["password", "address", "username", "phone"] + rest)
    }

    @Test func `F11: an event for an unknown field, or while no field is edited, changes nothing`() throws {
        var form = try FormState.standard(editing: "phone")
        #expect(form.handle(.focus(try .named("mobile"))).isEmpty)
        #expect(form.focus?.text == "phone")
        form.handle(.endEditing)
        #expect(form.handle(.endEditing).isEmpty)
        for event in [FormEvent.type("x"), .paste("x"), .autoFill("x"), .backspace, .deleteWord, .moveCaret(to: 4)] {
            #expect(form.handle(event).isEmpty)
        }
    }

    @Test func `F11: a text is judged outside editing, under a label of the caller's`() throws {
        let form = try FormState.standard(editing: "username")
        let phone = try FieldName.named("phone")
        let missing = form.judge("", in: phone, label: "LABEL")
        #expect(missing.message == "LABEL is required")
        #expect(missing.field == phone)
        #expect(missing.issue?.field == phone)
        #expect(form.judge("", in: phone).message == "Phone is required")
        #expect(form.judge("78761241", in: phone).issue == nil)
        #expect(form.judge("x", in: try .named("mobile")).issue?.code == .unknownField)
    }

    @Test(
        "a hint says what is accepted",
        arguments: [
            ("username", "2–10 letters A–Z, a–z and digits 0–9"),
            (
                "password",
                "3–64 letters A–Z, a–z, digits 0–9 and special characters, with an uppercase letter and a digit"
            ),
            ("phone", "exactly 8 digits, as ####-####"), ("postal_code", "exactly 5 digits 0–9, or nothing"),
            ("birthday", "yyyy.MM.dd, yyyyMMdd or yyyy-MM-dd, or nothing"),
        ])
    func hint(_ name: String, _ hint: String) throws {
        #expect(try FormState.standard()[name].hint == hint)
    }
}
