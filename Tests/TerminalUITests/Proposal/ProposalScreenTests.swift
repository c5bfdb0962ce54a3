import ProfileCore
import TerminalUI
import Testing
import Watchdog

/// The table of a proposed schema: keys in, choices out.
@Suite(.watched) struct ProposalScreenTests {
    /// The proposal for these choices, for a file with these headers.
    fileprivate static func table(_ choices: ProposalChoices = ProposalChoices()) -> ProposedTable {
        let columns = ["id", "Name", "Born", "pwd", ""].map { header in
            let isSecret = header == "pwd"
            let isLeftOut = header.isEmpty || choices.omitted.contains(header)
            let type = choices.types[header] ?? .string
            return ProposedColumn(
                header: header,
                field: isLeftOut ? nil : isSecret ? "password" : choices.names[header] ?? header.lowercased(),
                type: isLeftOut ? "left out" : type == .string ? "text" : type.rawValue,
                fieldType: isLeftOut ? nil : type, rules: header == "Name" ? "length 20 at most" : "",
                filled: isLeftOut ? "" : "98 %", examples: isSecret || isLeftOut ? [] : ["\(header)1", "\(header)2"],
                doubts: header == "Born" && !isLeftOut
                    ? ["day and month cannot be told apart"] : header.isEmpty ? ["the column has no name"] : [],
                remarks: header == "Name" ? ["too few values, so not proposed: required"] : [],
                unusual: header == "Name" ? ["\"Bo\" once, in line 7"] : [], isSecret: isSecret)
        }
        return ProposedTable(
            columns: columns, key: choices.key ?? .columns(["id"]), summary: "12 rows · 1 rejected",
            notes: ["12 rows in all."])
    }

    private func screen(
        _ table: ProposedTable = ProposalScreenTests.table(), computedKeys: [KeySource] = [.rowNumber, .content]
    ) -> ProposalScreen {
        ProposalScreen(
            table, choices: ProposalChoices(), title: "Import people.csv", accepting: "import",
            note: "Return makes a store at /s", computedKeys: computedKeys)
    }

    // MARK: Choices

    @Test func `N11: x leaves a column out and takes it in again`() {
        var screen = screen()
        screen.press(.down, .character("x"))
        #expect(screen.choices.omitted == ["Name"] && screen.demand == screen.choices)
        screen.answer()
        #expect(screen.demand == nil && screen.text().contains("×  Name") && screen.text().contains("x take in"))
        screen.press(.character("t"))
        #expect(screen.text().contains("Take the column in first: x"))
        screen.press(.character(" "), .delete, .character(" "))
        #expect(screen.choices == ProposalChoices() && screen.demand == screen.choices)
    }

    @Test func `N11: the key is a column, several columns, the row number, the content, or what is found`() {
        for (downs, key) in [
            (0, KeySource.columns(["Name"])), (1, .columns(["id", "Name"])), (2, .rowNumber), (3, .content), (4, nil),
        ] {
            var screen = screen()
            screen.press(.down, .character("k"), .home)
            for _ in 0..<downs { screen.press(.down) }
            screen.press(.enter)
            #expect(screen.choices.key == key)
        }
        var composite = screen()
        composite.press(.down, .character("k"), .home, .down, .enter)
        composite.answer()
        #expect(composite.text().contains(" K id") && composite.text().contains(" K name"))
        composite.press(.character("k"), .home, .down)
        #expect(composite.text().contains("› id, without Name"))
        composite.press(.enter)
        #expect(composite.choices.key == .columns(["id"]))
        var unnumbered = screen(computedKeys: [.content])
        unnumbered.press(.character("k"))
        #expect(!unnumbered.text().contains("the number of the row"))
    }

    @Test func `N11: a column that is left out is removed from the key`() {
        var screen = screen()
        screen.press(.down, .character("k"), .home, .down, .enter)
        screen.answer()
        screen.press(.character("x"))
        #expect(screen.choices.key == .columns(["id"]))
        screen.answer()
        screen.press(.up, .character("x"))
        #expect(screen.choices.key == nil && screen.choices.omitted == ["id", "Name"])
    }

    @Test func `N11: the key t chooses a type from a list, and can remove the choice`() {
        var screen = screen()
        screen.press(.down, .character("t"))
        #expect(screen.text().contains("Type of Name") && screen.text().contains("› text"))
        screen.press(.down, .enter)
        #expect(screen.choices.types == ["Name": .integer])
        screen.answer()
        #expect(screen.text().contains("name      integer"))
        screen.press(.character("t"), .escape)
        #expect(screen.choices.types == ["Name": .integer])
        screen.press(.character("t"), .home, .enter)
        #expect(screen.choices.types == [:])
    }

    @Test func `N11: minus loosens and plus tightens the rules of a column, step by step`() {
        var screen = screen()
        screen.press(.character("+"), .character("+"))
        #expect(screen.choices.strict == ["id"] && screen.choices.loose == [])
        screen.answer()
        #expect(screen.text().contains("id (tightened)"))
        screen.press(.character("-"))
        #expect(screen.choices == ProposalChoices())
        screen.press(.character("-"))
        #expect(screen.choices.loose == ["id"])
        screen.press(.character("="))
        #expect(screen.choices == ProposalChoices())
    }

    @Test func `N11: r takes a name from a line, and a name that is refused changes nothing`() {
        var screen = screen()
        screen.press(.down, .character("r"))
        #expect(screen.text().contains("Name of Name: name"))
        screen.type("x")
        screen.press(.backspace, .paste("2\nrest"), .enter)
        #expect(screen.choices.names == ["Name": "name2"])
        screen.answer()
        #expect(screen.text().contains("Name → name2"))
        screen.press(.character("r"), .control("u"))
        screen.type("Zip")
        screen.press(.enter)
        screen.receive(.refused("The field cannot be called \"Zip\""))
        #expect(screen.text().contains("cannot be called \"Zip\""))
        #expect(screen.choices.names == ["Name": "name2"] && screen.demand == nil)
        screen.press(.enter, .character("r"), .escape)
        #expect(screen.choices.names == ["Name": "name2"] && screen.demand == nil)
        screen.press(.character("r"), .control("u"), .enter)
        #expect(screen.choices.names == [:])
    }

    @Test func `a column of secrets can only be left out, loosened and tightened`() {
        var screen = screen()
        screen.press(.down, .down, .down)
        for key in "ktr" {
            screen.press(.character(key))
            #expect(screen.choices == ProposalChoices() && screen.text().contains("A column of secrets keeps"))
        }
        screen.press(.character("-"))
        #expect(screen.choices.loose == ["pwd"])
    }

    @Test func `a column that cannot be a field is not changed, and the screen gives the reason`() {
        var screen = screen()
        screen.press(.end)
        for key in "xktr-+v" {
            screen.press(.character(key))
            #expect(screen.choices == ProposalChoices() && screen.text().contains("the column has no name"))
        }
    }

    // MARK: Accepting

    @Test func `Return accepts the proposal that is shown, Esc and q leave`() throws {
        var screen = screen()
        #expect(screen.text().contains("Return makes a store at /s"))
        screen.press(.down, .character("x"))
        #expect(screen.press(.enter)?.request == nil && screen.text().contains("Still reading: press it again"))
        screen.answer()
        #expect(screen.press(.enter)?.request?.choices.omitted == ["Name"])
        #expect(screen.isBusy)
        for key in [Key.escape, .character("q")] {
            var other = self.screen()
            #expect(other.press(key)?.isLeave == true)
        }
    }

    @Test func `N3: without a key nothing is accepted, and k chooses one`() {
        let found = Self.table()
        var screen = screen(
            ProposedTable(columns: found.columns, key: nil, summary: found.summary, notes: found.notes))
        #expect(screen.press(.enter)?.request == nil && !screen.isBusy)
        #expect(screen.text().contains("Choose what identifies a row first: k"))
        screen.press(.character("k"), .home, .enter)
        screen.answer()
        #expect(screen.press(.enter)?.request?.choices.key == .columns(["id"]))
    }

    @Test func `while a large file is read again, the screen shows how far, and takes keys`() {
        var screen = screen()
        screen.press(.character("x"))
        screen.receive(.progress(0.42))
        #expect(screen.text().contains("reading … 42 %") && screen.demand == screen.choices)
        let first = screen.demand
        screen.press(.down, .character("x"))
        #expect(screen.demand != first && screen.choices.omitted == ["id", "Name"])
        screen.receive(.progress(nil))
        #expect(screen.text().contains("reading …"))
    }

    // MARK: Looking

    @Test func `every column has its key, field, type, rules, share of values, examples and doubts`() {
        let screen = screen()
        let wide = screen.text(140, 24)
        #expect(wide.contains(" K id        text      98 %    "))
        #expect(wide.contains("   name      text      98 %    length 20 at most  Name1 · Name2"))
        #expect(wide.contains("!  born      text      98 %                       Born1 · Born2"))
        #expect(wide.contains("   password  text      98 %"))
        #expect(wide.contains("×            left out") && wide.contains("1 of 5 · 12 rows · 1 rejected"))
    }

    @Test func `the selected column is shown whole, with its doubts and its unusual values`() {
        var screen = screen()
        screen.press(.down)
        let text = screen.text()
        for part in [
            "Name → name", "such as Name1 · Name2", "too few values, so not proposed: required", "12 rows in all.",
        ] {
            #expect(text.contains(part))
        }
        screen.press(.character("v"))
        #expect(screen.text().contains("Unusual values of Name") && screen.text().contains("\"Bo\" once, in line 7"))
        screen.press(.enter, .down)
        #expect(screen.text().contains("! day and month cannot be told apart"))
        #expect(screen.text(40, 12).contains("! day and month cannot be told apart"))
    }

    @Test func `the screen can be drawn in any size, and the selected column stays in sight`() {
        var screen = screen()
        for columns in [0, 1, 7, 40, 80, 200] {
            for rows in [0, 1, 3, 6, 15, 60] {
                screen.resize(to: ScreenSize(columns: columns, rows: rows))
                screen.press(.end)
                _ = screen.text(columns, rows)
                screen.press(.home, .character("k"))
                _ = screen.text(columns, rows)
                screen.press(.escape)
            }
        }
        screen.resize(to: ScreenSize(columns: 40, rows: 7))
        screen.press(.home, .down, .down)
        #expect(screen.text(40, 7).contains("born"))
    }
}

extension ProposalScreen {
    /// Answers the demands of the screen with proposals.
    fileprivate mutating func answer() {
        while let demand { receive(.proposed(ProposalScreenTests.table(demand))) }
    }
}
