import ProfileTesting
import TerminalUI
import Testing
import Watchdog

/// The mouse over the table.
@Suite(.watched) struct BrowseMouseTests {
    private let people = BrowsedPeople(1_000)
    /// At 80 × 24, the headings are in row 2 and the rows begin in row 3. The column "Username" begins at 2.
    private let firstRow = 3

    private func press(_ row: Int, _ column: Int) -> Key { .mouse(MouseEvent(.press, row: row, column: column)) }

    private func wheel(_ action: MouseEvent.Action, _ row: Int = 5, _ column: Int = 5) -> Key {
        .mouse(MouseEvent(action, row: row, column: column))
    }

    @Test func `a click selects the row under it, and a click beside the rows does nothing`() {
        var screen = BrowseScreen.browsing(people)
        screen.press(press(firstRow + 4, 10), reading: people)
        #expect(screen.told("selected") == "person4")
        for (row, column) in [
            (0, 5), (1, 5), (23, 5), (100, 5), (firstRow, 80), (firstRow, 5_000), (0x1F_FFFF, 0x1F_FFFF),
        ] {
            screen.press(press(row, column), reading: people)
            #expect(screen.told("selected") == "person4", "\(row) \(column)")
        }
        let few = BrowsedPeople(2)
        var short = BrowseScreen.browsing(few)
        short.press(press(firstRow + 4, 10), reading: few)
        #expect(short.told("selected") == "person0")
    }

    @Test func `a double click edits, and two slow clicks do not`() throws {
        var screen = BrowseScreen.browsing(people)
        let start = ContinuousClock.now
        func click(_ row: Int, at milliseconds: Int) -> BrowseScreen.Request? {
            screen.advance(to: start + .milliseconds(milliseconds))
            let request = screen.press(press(firstRow + row, 10))?.request
            screen.press(.mouse(MouseEvent(.release, row: firstRow + row, column: 10)))
            return request
        }
        #expect(click(2, at: 0) == nil && click(2, at: 600) == nil && click(3, at: 700) == nil)
        #expect(click(2, at: 800) == nil)
        guard case .edit(id: 3, _) = click(2, at: 1_200) else {
            Issue.record("no edit")
            return
        }
    }

    @Test func `a click left of a row adds its profile to the selection or removes it`() {
        var screen = BrowseScreen.browsing(people)
        screen.press(press(firstRow + 2, 0), press(firstRow + 3, 1), reading: people)
        #expect(screen.told("marked") == "2" && screen.text().contains("•person2"))
        screen.press(press(firstRow + 2, 1), reading: people)
        #expect(screen.told("marked") == "1")
    }

    @Test func `a click on a heading sorts by it, again the other way, and then not at all`() {
        var screen = BrowseScreen.browsing(people)
        // "Username" is 8 wide, or 9 if a longer name was read. Behind a gap of 2 is "Age".
        screen.press(press(2, 14), reading: people)
        #expect(screen.told("order") == "age" && screen.told("column") == "Age")
        screen.press(press(2, 14), reading: people)
        #expect(screen.text().contains("by Age ↓"))
        screen.press(press(2, 14), reading: people)
        #expect(screen.told("order") == "null")
        screen.press(press(2, 2), reading: people)
        #expect(screen.told("order") == "username")
    }

    @Test func `the wheel scrolls the table, and the selected row stays in sight`() {
        var screen = BrowseScreen.browsing(people)
        screen.press(wheel(.wheelDown), reading: people)
        #expect(screen.names.first == "person3" && screen.told("selected") == "person3")
        for _ in 0..<400 { screen.press(wheel(.wheelDown), reading: people) }
        #expect(screen.names.last == "person999" && screen.names.contains(screen.told("selected")))
        screen.press(wheel(.wheelUp), reading: people)
        #expect(screen.names.last == "person996")
        for _ in 0..<400 { screen.press(wheel(.wheelUp), reading: people) }
        #expect(screen.names.first == "person0")
        let none = BrowsedPeople(0)
        var empty = BrowseScreen.browsing(none)
        empty.press(wheel(.wheelDown), wheel(.wheelUp), press(firstRow, 5), press(2, 3), reading: none)
        #expect(empty.told("selected") == "null")
    }

    @Test func `the wheel scrolls the details or the text that are under the mouse`() {
        var people = people
        people.people[0].issues = (0..<9).map { "issue \($0)" }
        var screen = BrowseScreen.browsing(people)
        #expect(screen.text().contains("✗ issue 0"))
        screen.press(wheel(.wheelDown, 20, 5), reading: people)
        #expect(!screen.text().contains("✗ issue 1") && screen.names.first == "person0")
        screen.resize(to: ScreenSize(columns: 120, rows: 12))
        screen.press(wheel(.wheelUp, 5, 100), reading: people)
        #expect(screen.text(120, 12).contains("✗ issue 0"))
        screen.type("?", reading: people)
        let before = screen.text(120, 12)
        screen.press(wheel(.wheelDown), reading: people)
        #expect(screen.text(120, 12) != before)
    }

    @Test func `the edge between two headings can be dragged, and the width is remembered`() {
        var screen = BrowseScreen.browsing(people)
        // The edge of "Username", which is 8 wide, is at 10 and 11.
        screen.press(press(2, 11), .mouse(MouseEvent(.drag, row: 2, column: 20)), reading: people)
        let lines = screen.text().split(separator: "\n")
        #expect(lines[2].hasPrefix("  Username          ") && screen.told("order") == "null")
        let released = screen.press(.mouse(MouseEvent(.release, row: 9, column: 20)))?.request
        guard case .remember(let arrangement) = released else {
            Issue.record("nothing to remember")
            return
        }
        #expect(arrangement.widths == ["username": 17] && !screen.isBusy)
        screen.receive(.done)
        // Without a movement, nothing is remembered; a drag that began elsewhere changes nothing.
        #expect(screen.press(press(2, 19), .mouse(MouseEvent(.release, row: 2, column: 19))) == nil)
        screen.press(press(firstRow, 19), .mouse(MouseEvent(.drag, row: 2, column: 40)), reading: people)
        #expect(screen.press(.mouse(MouseEvent(.release, row: 2, column: 40))) == nil)
        screen.press(press(2, 19), .mouse(MouseEvent(.drag, row: 2, column: 0)), reading: people)
        #expect(screen.text().contains("\n  Us…  ") && screen.text().contains("\n  pe…  "), "\(screen.text())")
        screen.press(.mouse(MouseEvent(.drag, row: 2, column: 0x1F_FFFF)), reading: people)
        #expect(screen.text().contains("person0"))
    }

    @Test func `a column of numbers cannot become narrower than its numbers`() {
        var arrangement = ColumnArrangement()
        arrangement.widths = ["age": 1, "username": 4]
        let screen = BrowseScreen.browsing(people, at: .init(arrangement: arrangement))
        #expect(screen.text().contains("  per…  37\n") && screen.text().contains("  Use…  A…\n"))
    }

    @Test func `while a line is typed or a question is open, a click changes nothing`() {
        var screen = BrowseScreen.browsing(people)
        screen.type(":4", reading: people)
        screen.press(press(firstRow + 3, 9), reading: people)
        #expect(screen.told("selected") == "person0" && screen.text().contains("Go to row: 4"))
        screen.press(.escape, reading: people)
        screen.type("d", reading: people)
        screen.press(press(firstRow + 3, 9), reading: people)
        #expect(screen.told("selected") == "person0" && screen.text().contains("Remove person0?"))
        screen.press(.escape, reading: people)
        screen.type("/9", reading: people)
        screen.press(press(firstRow + 1, 9), reading: people)
        #expect(screen.told("is_searching") == "false" && screen.told("selected") == "person19")
    }

    @Test func `whatever the mouse does at whatever size, the selected row is in sight`() {
        var random = SeededGenerator(printingSeedOf: "mouse")
        let actions: [MouseEvent.Action] = [.press, .press, .drag, .drag, .release, .wheelUp, .wheelDown, .wheelDown]
        for _ in 0..<rounds(20) {
            let people = BrowsedPeople(Int.random(in: 0...300, using: &random))
            var screen = BrowseScreen.browsing(people)
            for _ in 0..<80 {
                if random.once(in: 8) {
                    screen.resize(
                        to: ScreenSize(
                            columns: Int.random(in: 0...130, using: &random),
                            rows: Int.random(in: 0...40, using: &random)))
                    screen.read(people)
                }
                let event = MouseEvent(
                    actions.randomElement(using: &random) ?? .press, row: Int.random(in: 0...45, using: &random),
                    column: random.once(in: 9) ? 0x1F_FFFF : Int.random(in: 0...140, using: &random))
                screen.press(.mouse(event), reading: people)
                if people.people.isEmpty { continue }
                #expect(screen.names.contains(screen.told("selected")))
                #expect(screen.names.count == min(people.rows(screen.shownView).count, screen.rowsOfTable))
            }
        }
    }
}
