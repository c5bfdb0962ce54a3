import ProfileCore
import ProfileForm
import ProfileTesting
import ScreenPicture
import TerminalUI
import Testing
import TextLayout
import Watchdog

/// A form on a screen: what is seen, and what keys do.
@Suite(.watched) struct FormScreenTests {
    @Test func `an empty form says what it wants and how to go on`() {
        #expect(FormScreen.registering().text() == References.emptyForm)
    }

    @Test func `a form fits into 40 columns and 15 rows`() {
        var screen = FormScreen.registering()
        screen.fillIn()
        #expect(screen.text(40, 15) == References.narrowForm)
    }

    @Test func `F5: an error stands under its field and goes when the value is mended`() {
        var screen = FormScreen.registering()
        screen.type("s")
        screen.press(.enter)
        #expect(screen.text().contains("✗ Username should have at least 2 characters"))
        screen.press(.up)
        screen.type("k")
        #expect(!screen.text().contains("✗ Username"))
    }

    @Test func `only the focused field shows the hint for its values`() {
        var screen = FormScreen.registering()
        #expect(screen.text().contains("2–10 letters A–Z, a–z and digits 0–9"))
        screen.press(.tab)
        #expect(!screen.text().contains("2–10 letters A–Z, a–z and digits 0–9"))
        #expect(screen.text().contains("3–64 letters A–Z, a–z"))
    }

    @Test func `Ctrl-O shows the history of a stored profile, and Esc returns to what was typed`() {
        var screen = FormScreen.editing()
        screen.type("2")
        guard case .history? = screen.press(.control("o"))?.request else {
            Issue.record("no history")
            return
        }
        #expect(screen.isBusy && screen.text().contains("Ctrl-O history"))
        let lines = (0..<30).map { TextScreen.Line("  Phone  ", "\($0) → \($0 + 1)") }
        screen.receive(.text(TextScreen(title: "History of skboard", lines: lines)))
        #expect(!screen.isBusy && screen.text().contains("History of skboard") && !screen.text().contains("skboard2"))
        screen.press(.end)
        #expect(screen.text().contains("29 → 30"))
        #expect(screen.handle(.previous) == nil && screen.form.focus?.text == "username")
        #expect(screen.press(.escape) == nil, "it leaves the history, and not the form")
        #expect(screen.text().contains("skboard2") && screen["username"]?.text == "skboard2")
        screen.press(.control("o"))
        screen.receive(.noted("The history has no change of skboard"))
        #expect(screen.text().contains("The history has no change of skboard"))
        screen.press(.control("o"))
        screen.receive(.failed("The store is busy"))
        #expect(screen.text().contains("The store is busy"))
        screen.press(.enter)
        for (columns, rows) in [(0, 0), (1, 1), (20, 5), (40, 15), (120, 40)] {
            screen.resize(to: ScreenSize(columns: columns, rows: rows))
            screen.receive(.text(TextScreen(title: "History of skboard", lines: lines)))
            screen.press(.end, .pageUp, .down)
            _ = screen.text(columns, rows)
            screen.press(.escape)
        }
    }

    @Test func `a new profile has no history`() {
        var screen = FormScreen.registering()
        #expect(screen.press(.control("o")) == nil && !screen.isBusy && !screen.text().contains("Ctrl-O"))
    }

    @Test func `a secret is shown as dots, on the screen and in the state`() {
        var screen = FormScreen.registering()
        screen.press(.tab)
        screen.type("aK8oio")
        #expect(screen.text().contains("[••••••"))
        #expect(!screen.text().contains("aK8oio"))
        #expect(!screen.state.text().contains("aK8oio"))
        #expect(screen.state.text().contains("••••••"))
    }

    @Test func `the caret stands behind what was typed, whatever the width of its characters`() {
        var screen = FormScreen.registering()
        let size = ScreenSize(columns: 80, rows: 24)
        let start = screen.frame(size).caret?.column ?? 0
        screen.type("a한e\u{301}")
        #expect(screen.frame(size).caret?.column == start + 4)
        screen.press(.left, .left)
        #expect(screen.frame(size).caret?.column == start + 1)
    }

    @Test func `a value that is longer than its box scrolls, with the caret in sight`() throws {
        var screen = FormScreen.registering()
        screen.press(.tab, .tab, .tab)
        screen.type("1 Very Long Street Name That Does Not Fit Into Forty Columns 12345")
        let size = ScreenSize(columns: 40, rows: 15)
        let atEnd = screen.frame(size)
        #expect(atEnd.text.contains("12345"))
        #expect(atEnd.text.contains("‹"))
        #expect(try #require(atEnd.caret).column < 40)
        screen.press(.home)
        #expect(screen.frame(size).text.contains("[1 Very Long"))
        #expect(screen.frame(size).text.contains("›"))
    }

    @Test func `keys edit as in a shell`() {
        var screen = FormScreen.registering()
        screen.press(.tab, .tab, .tab)
        screen.type("12 Main Street")
        screen.press(.control("w"))
        #expect(screen["address"]?.text == "12 Main ")
        screen.press(.control("a"), .delete)
        #expect(screen["address"]?.text == "2 Main ")
        screen.press(.right, .right, .control("k"))
        #expect(screen["address"]?.text == "2 ")
        screen.press(.control("e"), .control("u"))
        #expect(screen["address"]?.text == "")
        screen.type("ab")
        screen.press(.home, .character("c"), .end, .backspace)
        #expect(screen["address"]?.text == "ca")
    }

    @Test func `Tab, arrows and Return go from field to field`() {
        var screen = FormScreen.registering()
        screen.press(.tab, .down, .enter)
        #expect(screen.form.focus?.text == "address")
        screen.press(.backTab, .up)
        #expect(screen.form.focus == .password)
    }

    @Test func `F1: a key for which there is no room gives a note, and the next key takes it away`() {
        var screen = FormScreen.registering()
        screen.type("skboard1234")
        #expect(screen["username"]?.text == "skboard123")
        #expect(screen.text().contains("Username takes 10 characters at most"))
        screen.press(.left)
        #expect(!screen.text().contains("at most"))
    }

    @Test func `F7: a paste that was cut says so`() {
        var screen = FormScreen.registering()
        screen.press(.paste("Lorem Ipsum is simply"))
        #expect(screen["username"]?.text == "Lorem Ipsu")
        #expect(screen.text().contains("Cut: Username takes 10 characters at most"))
    }

    @Test func `F9: Return in the last field asks to store what is valid`() throws {
        var screen = FormScreen.registering()
        screen.fillIn()
        guard case .store(let profile, isMerged: false) = screen.press(.enter)?.request else {
            Issue.record("not submitted")
            return
        }
        #expect(profile.username == "skboard")
        #expect(screen.isBusy)
        #expect(screen.text().contains("Storing …"))
        // While the form is being stored, it accepts no text, but the user can leave it.
        #expect(screen.press(.character("x")) == nil)
        #expect(screen.press(.control("c"))?.isInterrupt == true)
        screen.receive(.refused([ValidationIssue(.username, .duplicate(line: nil))]))
        #expect(screen.form.focus == .username)
        #expect(screen.text().contains("✗ Username is taken"))
        #expect(!screen.isBusy)
    }

    @Test func `F9: Ctrl-S submits from anywhere, and every error is shown`() {
        var screen = FormScreen.registering()
        #expect(screen.press(.control("s")) == nil)
        let text = screen.text()
        for title in ["Username", "Password", "Phone", "Address"] { #expect(text.contains("✗ \(title) is required")) }
        #expect(text.contains("Not stored yet: 4 fields to mend"))
        #expect(screen.form.focus == .username)
    }

    @Test func `an error of the store is an alert, and then the focus is where it was`() {
        var screen = FormScreen.registering()
        screen.fillIn()
        screen.press(.enter)
        screen.receive(.failed("The store is busy"))
        #expect(screen.text().contains("Error") && screen.text().contains("The store is busy"))
        screen.press(.character("x"), .enter)
        #expect(!screen.text().contains("The store is busy"))
        #expect(screen.form.focus?.text == "birthday")
        #expect(screen["birthday"]?.text == "")
    }

    @Test func `Esc leaves at once, and asks before what was typed is lost`() {
        var screen = FormScreen.registering()
        #expect(screen.press(.escape)?.isLeave == true)
        screen.type("sk")
        #expect(screen.press(.escape) == nil)
        #expect(screen.text().contains("Leave?"))
        // Return takes the first answer, which loses nothing.
        #expect(screen.press(.enter) == nil)
        #expect(screen["username"]?.text == "sk")
        screen.press(.escape)
        #expect(screen.press(.escape) == nil)
        screen.press(.escape, .down)
        #expect(screen.press(.enter)?.isLeave == true)
    }

    @Test func `Ctrl-N skips to the next form, and asks before typed text is lost`() {
        let form = FormState(ProfileValidator(.standard), on: .someDay)
        var screen = FormScreen(form, name: "mend", title: "Row 1 of 2", submitting: "register", canSkip: true)
        #expect(screen.press(.control("n"))?.isSkip == true)
        screen.type("sk")
        #expect(screen.press(.control("n")) == nil)
        #expect(screen.text().contains("Leave?"))
        #expect(screen.press(.enter) == nil)
        #expect(screen["username"]?.text == "sk")
        screen.press(.control("n"), .down)
        #expect(screen.press(.enter)?.isSkip == true)
        screen.press(.escape, .down)
        #expect(screen.press(.enter)?.isLeave == true)
        var alone = FormScreen.registering()
        #expect(alone.press(.control("n")) == nil)
    }

    @Test func `Ctrl-C and Ctrl-Z work whatever is shown`() {
        var screen = FormScreen.registering(notices: [.welcome])
        #expect(screen.press(.control("c"))?.isInterrupt == true)
        #expect(screen.press(.control("z"))?.isSuspend == true)
        screen.press(.enter, .character("x"), .escape)
        #expect(screen.press(.control("c"))?.isInterrupt == true)
    }

    @Test func `T5: keys before the welcome is closed enter no field`() {
        for key in [Key.enter, .escape] {
            var screen = FormScreen.registering(notices: [.welcome])
            let text = screen.text()
            #expect(text.contains("Welcome to this awesome app!") && text.contains("[ Close ]"))
            screen.type("abc")
            #expect(screen.press(.paste("x")) == nil)
            #expect(screen["username"]?.isEmpty == true)
            screen.press(key)
            #expect(!screen.text().contains("Welcome"))
            screen.type("abc")
            #expect(screen["username"]?.text == "abc")
        }
    }

    @Test func `every key that does something is named, however narrow the screen`() {
        var screen = FormScreen.registering()
        screen.fillIn()
        screen.press(.up)
        screen.type("89761")
        for columns in [40, 60, 80] {
            for key in ["Return next", "↑↓ move", "Ctrl-F addresses", "Ctrl-S register", "Esc leave"] {
                #expect(screen.text(columns, 15).contains(key) || columns == 40 && key == "↑↓ move")
            }
        }
    }

    @Test func `F4: Ctrl-F offers addresses once the postal code is valid, and fills one in`() {
        var screen = FormScreen.registering()
        #expect(!screen.text().contains("Ctrl-F"))
        screen.press(.control("f"))
        #expect(screen.text().contains("First fill in Postal code"))
        screen.press(.tab, .tab, .tab, .tab)
        screen.type("89761")
        #expect(screen.text().contains("Ctrl-F"))
        guard case .addresses(postalCode: "89761") = screen.press(.control("f"))?.request else {
            Issue.record("not asked for")
            return
        }
        screen.receive(.addresses(["12 Main Street", "4 Elm St"]))
        #expect(screen.text().contains("Addresses under 89761"))
        screen.press(.down, .enter)
        #expect(screen["address"]?.text == "4 Elm St")
        #expect(screen.form.focus?.text == "postal_code")
        screen.press(.control("f"))
        screen.receive(.addresses([]))
        #expect(screen.text().contains("No address is stored under 89761 yet"))
    }

    @Test func `an edit shows what is stored, with the day as a form writes it`() {
        let screen = FormScreen.editing()
        let text = screen.text()
        for value in ["[skboard", "[7876-1241", "[12 Main Street", "[1998.01.15"] { #expect(text.contains(value)) }
        #expect(!text.contains("Password *"))
        #expect(!screen.form.isChanged)
    }

    @Test func `R3: concurrent changes are shown field by field, and the user chooses`() throws {
        let address = FieldName.address
        let phone = FieldName.phone
        let conflicts = [
            FieldConflict(
                field: phone, title: "Phone", before: "7876-1241", theirs: "1111-2222", yours: "7876-1241"),
            FieldConflict(
                field: address, title: "Address", before: "12 Main Street", theirs: "13 Main Street",
                yours: "12 Main Street East"),
        ]
        func choosing(_ keys: Key...) -> (screen: FormScreen, profile: ValidProfile?) {
            var screen = FormScreen.editing()
            screen.press(.tab, .tab, .tab)
            screen.type(" East")
            _ = screen.press(.control("s"))
            screen.receive(.changedMeanwhile(conflicts))
            var action: ScreenAction<FormScreen.Request>?
            for key in keys { action = screen.handle(key) }
            if case .store(let profile, isMerged: true) = action?.request { return (screen, profile) }
            return (screen, nil)
        }
        let shown = choosing().screen.text()
        for text in [
            "Phone: was 7876-1241", "is now 1111-2222", "(•) yours  12 Main Street East", "( ) theirs 13 Main",
        ] {
            #expect(shown.contains(text), "\(shown)")
        }
        let mine = try #require(choosing(.enter).profile)
        #expect(mine[address] == "12 Main Street East")
        // A field that the user did not change takes the stored value.
        #expect(mine[phone] == "1111-2222")
        #expect(choosing(.character(" "), .enter).profile?[address] == "13 Main Street")
        #expect(choosing(.character("t"), .enter).profile?[address] == "13 Main Street")
        #expect(choosing(.character("t"), .character("m"), .enter).profile?[address] == "12 Main Street East")
        var left = choosing(.escape).screen
        #expect(left["address"]?.text == "12 Main Street East")
        // After Esc, the conflicts are still undecided.
        guard case .store(_, isMerged: false) = left.press(.control("s"))?.request else {
            Issue.record("not submitted")
            return
        }
    }

    @Test func `a schema's own fields are shown and judged like built-in ones`() throws {
        let schema = try ProfileSchema(
            parsing: """
                {"name": "members", "fields": [
                  {"name": "username", "constraints": {"required": true, "unique": true, "maxLength": 20}},
                  {"name": "level", "title": "Level", "constraints": {"enum": ["basic", "gold"]}},
                  {"name": "joined", "title": "Joined", "type": "date", "profiles": {"formats": ["dd.MM.yyyy"]}}
                ]}
                """)
        var screen = FormScreen.registering(schema)
        screen.type("ann")
        screen.press(.enter)
        screen.type("silver")
        screen.press(.enter)
        #expect(screen.text().contains("✗ Level should be basic or gold"))
        #expect(screen.text().contains("dd.MM.yyyy, or nothing"))
        screen.press(.control("f"))
        #expect(!screen.text().contains("First fill in"))
    }

    @Test func `P12: a secret that is shown is dots in a picture, in the state, and behind a question`() {
        var screen = FormScreen.registering()
        screen.press(.control("r"))
        #expect(!screen.text().contains("Ctrl-R"))
        screen.press(.tab)
        screen.type("aK8oio")
        screen.press(.control("r"))
        #expect(screen.text().contains("[aK8oio") && screen.text().contains("Ctrl-R hide"))
        let picture = screen.frame(ScreenSize(columns: 80, rows: 24)).svg(title: "x")
        #expect(!picture.contains("aK8oio") && picture.contains("••••••"))
        #expect(!screen.state.text().contains("aK8oio"))
        screen.press(.escape)
        #expect(screen.text().contains("Leave?") && !screen.text().contains("aK8oio"))
        screen.press(.escape)
        #expect(screen.text().contains("[aK8oio"))
        screen.press(.control("r"))
        #expect(!screen.text().contains("aK8oio"))
        screen.press(.control("r"), .tab, .backTab)
        #expect(!screen.text().contains("aK8oio"))
    }

    @Test func `a field with choices shows them in a list during a search, and keys go to the list`() throws {
        var screen = FormScreen.registering(try .withChoices(towns: 3))
        screen.press(.tab)
        for text in ["Town 0, Town 1 or Town 2, or nothing", "▾]", "←→ choose", "Space list"] {
            #expect(screen.text().contains(text), "\(screen.text())")
        }
        screen.press(.character(" "))
        let list = screen.text()
        for text in ["› (empty)", "  Town 0", "  Town 2", "Return take it", "↑↓ choose", "Esc back"] {
            #expect(list.contains(text), "\(list)")
        }
        screen.press(.down, .down, .up)
        #expect(screen.text().contains("› Town 0") && screen.text().contains("[Town 0 "))
        screen.press(.escape)
        #expect(screen["town"]?.isEmpty == true && !screen.text().contains("(empty)"))
        screen.press(.right, .right)
        #expect(screen.text().contains("[Town 1 "))
        screen.type("own 2")
        screen.press(.enter)
        #expect(screen["town"]?.text == "Town 2" && screen.form.focus?.text == "member")
        screen.type("y")
        #expect(screen.text().contains("› Yes") && screen["member"]?.picker?.matches.count == 1)
        screen.press(.down, .tab)
        #expect(screen.text().contains("[Yes ") && screen["member"]?.text == "true")
        // The other arrows still go from field to field.
        screen.press(.up, .up)
        #expect(screen.form.focus?.text == "town")
        screen.type("zz")
        #expect(screen.text().contains("none of 4 values matches"))
        screen.press(.tab)
        #expect(screen.text().contains("✗ Town should be Town 0, Town 1 or Town 2"))
    }

    @Test("hundreds of values stay usable on any screen", arguments: 8...24)
    func manyChoices(rows: Int) throws {
        var screen = FormScreen.registering(try .withChoices(towns: 400))
        screen.press(.tab, .character(" "), .pageDown, .pageDown, .down)
        let text = screen.text(40, rows)
        #expect(text.contains("› Town 12") && text.contains("Town "), "\(text)")
        if rows > 8 { #expect(text.contains("14 of 401 values"), "\(text)") }
        screen.press(.pageUp, .pageUp, .pageUp)
        #expect(screen.text(40, rows).contains("› (empty)"))
        screen.type("39")
        #expect(screen.text(40, rows).contains("› Town 39"), "\(screen.text(40, rows))")
        if rows > 8 { #expect(screen.text(40, rows).contains("1 of 14 that match, 401 in all")) }
        screen.press(.tab)
        #expect(screen["town"]?.text == "Town 39")
    }

    @Test func `a value that is no longer a choice is marked in the list`() throws {
        let town: FieldName = "town"
        let form = FormState(ProfileValidator(try .withChoices(towns: 2)), on: .someDay, values: [town: "Atlantis"])
        var screen = FormScreen(form, name: "edit", title: "Edit", submitting: "store")
        #expect(screen.text().contains("[Atlantis"))
        screen.press(.tab, .character(" "))
        #expect(screen.text().contains("› Atlantis (no longer a choice)"))
        screen.press(.enter)
        #expect(screen["town"]?.text == "Atlantis" && !screen.form.isChanged)
    }

    @Test func `a long form shows the number of its field, and the page keys move through it`() throws {
        let schema = try ProfileSchema(
            parsing: #"{"fields": [{"name": "username", "constraints": {"required": true, "unique": true}}, "#
                + (2...36).map { #"{"name": "f\#($0)"}"# }.joined(separator: ",") + "]}")
        var screen = FormScreen.registering(schema)
        for (key, number) in [
            (Key.pageDown, 11), (.pageDown, 21), (.pageUp, 11), (.controlEnd, 36), (.controlHome, 1), (.tab, 2),
        ] {
            screen.press(key)
            #expect(screen.text().contains("field \(number) of 36   * required"), "\(screen.text())")
            #expect(screen.text(40, 15).contains("field \(number) of 36"), "\(screen.text(40, 15))")
            #expect(screen.text(40, 15).contains("› \(number == 1 ? "Username" : "F\(number)")"))
        }
        #expect(screen.text().contains("PgUp PgDn page"))
        #expect(!FormScreen.registering().text(40, 15).contains("field 1"))
    }

    @Test func `F7: a paste into a mask takes its digits, and a paste without digits gives a note`() {
        var screen = FormScreen.registering()
        screen.press(.tab, .tab, .paste("(123) 456-78"))
        #expect(screen["phone"]?.text == "1234-5678" && !screen.text().contains("Cut"))
        screen.press(.paste("9"))
        #expect(screen.text().contains("Phone takes 8 digits at most"))
        screen.press(.control("u"), .paste("none"))
        #expect(screen.text().contains("Phone takes digits only"))
    }

    @Test func `every focused field is seen on small screens, with its error`() {
        for rows in 8...24 {
            var screen = FormScreen.registering()
            screen.press(.control("s"))
            for title in ["Username", "Password", "Phone", "Address", "Postal code", "Birthday"] {
                let text = screen.text(40, rows)
                #expect(text.contains("› \(title)") || text.contains("›") && text.contains(title), "\(rows): \(text)")
                if let message = screen.form.focus.flatMap({ screen.form[$0]?.message }) {
                    #expect(text.contains("✗ \(message)"), "\(rows): \(text)")
                }
                screen.press(.tab)
            }
        }
    }

    @Test("random keys on random screens neither trap nor draw outside", arguments: [UInt64.random(in: 0 ... .max)])
    func randomKeys(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let keys: [Key] = [
            .up, .down, .left, .right, .home, .end, .pageUp, .pageDown, .controlHome, .controlEnd, .backspace, .delete,
            .tab, .backTab, .enter,
            .escape, .control("a"), .control("e"), .control("u"), .control("k"), .control("w"), .control("f"),
            .control("r"), .control("s"), .character(" "), .character("1"), .character("A"), .character("한"),
            .character("e\u{301}"),
            .character("👩‍👩‍👧"), .character("m"), .character("\u{202E}"), .paste("89761"),
            .paste(String(repeating: "x\n한", count: 50)), .unknown,
        ]
        let hasChoices = random.next() % 2 == 0
        guard let schema = hasChoices ? try? ProfileSchema.withChoices(towns: 30) : .standard else { return }
        var screen = FormScreen.registering(schema)
        for step in 0..<3_000 {
            let key = keys[Int(random.next() % UInt64(keys.count))]
            if case .ask(let request) = screen.handle(key) {
                switch request {
                case .history: screen.receive(.noted("no"))
                case .addresses:
                    screen.receive(.addresses(random.next() % 2 == 0 ? [] : ["12 Main Street", "한 e\u{301}"]))
                case .store(let profile, _):
                    screen.receive(
                        random.next() % 2 == 0
                            ? .failed("no")
                            : .changedMeanwhile([
                                FieldConflict(
                                    field: .username, title: "Username", before: "a", theirs: "bb",
                                    yours: profile.username)
                            ]))
                }
            }
            let size = ScreenSize(columns: Int(random.next() % 90), rows: Int(random.next() % 30))
            let frame = screen.frame(size)
            let lines = frame.text.split(separator: "\n", omittingEmptySubsequences: false)
            #expect(lines.allSatisfy { $0.displayWidth <= size.columns }, "seed \(seed), step \(step)")
            let isCovered = !screen.notices.isEmpty || !screen.state.text().contains(#""question":null"#)
            if !isCovered, !screen.isBusy, size.rows >= 1, size.columns >= 12 {
                #expect(lines.contains { $0.hasPrefix("› ") }, "seed \(seed), step \(step), \(size)")
            }
            if let caret = frame.caret {
                #expect(
                    caret.row < size.rows && caret.column < size.columns && caret.row >= 0 && caret.column >= 0,
                    "seed \(seed), step \(step), \(size), \(caret)")
            }
        }
    }
}
