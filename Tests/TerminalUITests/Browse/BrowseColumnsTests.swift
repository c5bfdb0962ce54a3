import ProfileTesting
import TerminalUI
import Testing
import Watchdog

/// The choice of the columns and their order.
@Suite(.watched) struct BrowseColumnsTests {
    private let people: BrowsedPeople = {
        var people = BrowsedPeople(30)
        people.columns = [
            BrowseColumn("username", title: "Username", isKey: true), BrowseColumn("a", title: "Alpha"),
            BrowseColumn("b", title: "Beta"), BrowseColumn("age", title: "Age", isNumber: true),
        ]
        return people
    }()

    private func browsing(at place: BrowseScreen.Place = .init()) -> BrowseScreen {
        var screen = BrowseScreen(columns: people.columns, at: place)
        screen.resize(to: ScreenSize(columns: 80, rows: 24))
        screen.read(people)
        return screen
    }

    private func headings(_ screen: BrowseScreen) -> [String] {
        let lines = screen.text().split(separator: "\n", omittingEmptySubsequences: false)
        return lines.dropFirst(2).first?.split(separator: " ").map(String.init) ?? []
    }

    @Test func `the key c opens a list that hides, shows and moves columns, and Return applies it`() {
        var screen = browsing()
        screen.type("c", reading: people)
        #expect(screen.text().contains(" Columns ") && screen.text().contains("›✓ Username"))
        screen.type("j J", reading: people)
        #expect(screen.text().contains("›  Alpha"))
        screen.type("GKKK", reading: people)
        guard case .remember(let arrangement) = screen.press(.enter)?.request else {
            Issue.record("nothing to remember")
            return
        }
        #expect(arrangement.order == ["age", "username", "b", "a"] && arrangement.hidden == ["a"])
        #expect(!screen.isBusy, "no key waits for the record")
        #expect(headings(screen) == ["Age", "Username", "Beta"])
        screen.receive(.done)
        // The selected column is the same as before, and the arrow keys follow the new order.
        #expect(screen.told("column") == "Username")
        screen.type("hhll", reading: people)
        #expect(screen.told("column") == "Beta")
        screen.type("l", reading: people)
        #expect(screen.told("column") == "Beta")
    }

    @Test func `Esc leaves the columns as they were, and Return without a change remembers nothing`() {
        var screen = browsing()
        screen.type("c j J", reading: people)
        #expect(screen.press(.escape, reading: people) == nil)
        #expect(headings(screen) == ["Username", "Alpha", "Beta", "Age"] && screen.told("columns") == "null")
        screen.type("c", reading: people)
        #expect(screen.press(.enter, reading: people) == nil)
    }

    @Test func `at least one column stays, and r restores the columns of the rules`() {
        var screen = browsing()
        screen.type("c j j j ", reading: people)
        #expect(screen.text().contains("At least one column must stay") && screen.text().contains("›✓ Age"))
        screen.type("K", reading: people)
        #expect(!screen.text().contains("At least one"))
        screen.press(.enter, reading: people)
        #expect(headings(screen) == ["Age"] && screen.told("column") == "Age")
        screen.type("cr", reading: people)
        guard case .remember(let arrangement) = screen.press(.enter)?.request else {
            Issue.record("nothing to remember")
            return
        }
        #expect(arrangement == ColumnArrangement())
        #expect(headings(screen) == ["Username", "Alpha", "Beta", "Age"])
    }

    @Test func `the chosen columns stay after a form, with new rules, and with names of missing fields`() {
        var screen = browsing()
        screen.type("cj ", reading: people)
        screen.press(.enter, reading: people)
        var back = browsing(at: screen.place)
        #expect(headings(back) == ["Username", "Beta", "Age"])
        var others = people
        others.columns.append(BrowseColumn("new", title: "New"))
        others.columns.remove(at: 0)
        back.type("r", reading: others)
        #expect(headings(back) == ["Beta", "Age", "New"] && back.told("column") == "Beta")
        others.columns = [BrowseColumn("a", title: "Alpha")]
        back.type("r", reading: others)
        #expect(headings(back) == ["Alpha"], "a table without a column would show nothing")
        var arrangement = ColumnArrangement()
        arrangement.order = ["age", "gone", "age", "username"]
        arrangement.hidden = ["gone"]
        let odd = browsing(at: .init(arrangement: arrangement))
        #expect(headings(odd) == ["Age", "Username", "Alpha", "Beta"])
    }

    @Test func `an export has the shown columns in their order`() {
        var screen = browsing()
        screen.type("cGKKK", reading: people)
        screen.press(.enter, reading: people)
        screen.type("xy", reading: people)
        let export = BrowseExport(
            ids: nil, view: screen.view, columns: ["age", "username", "a", "b"], path: "y", isReplacing: false)
        #expect(screen.press(.enter)?.request == .export(export))
    }

    @Test func `a filter and an order use the selected column in any arrangement`() {
        var screen = browsing()
        screen.type("cGKKK", reading: people)
        screen.press(.enter, reading: people)
        screen.type("hhs", reading: people)
        #expect(screen.told("order") == "age" && screen.told("column") == "Age")
        screen.type("=", reading: people)
        #expect(screen.text().contains("Age = 1 ") || screen.text().contains("Age = "))
        #expect(screen.names == people.rows(screen.view).map(\.name))
    }

    @Test func `after any keys at any size, at least one column is shown, and every field occurs once`() {
        var random = SeededGenerator(printingSeedOf: "columns")
        for _ in 0..<rounds(30) {
            var screen = browsing()
            let size = ScreenSize(
                columns: Int.random(in: 0...100, using: &random), rows: Int.random(in: 0...30, using: &random))
            screen.resize(to: size)
            screen.type("c", reading: people)
            for _ in 0..<30 {
                let key = [" ", "J", "K", "j", "k", "g", "G", "r", "x"].randomElement(using: &random) ?? " "
                screen.type(key, reading: people)
                _ = screen.text(size.columns, size.rows)
            }
            guard case .remember(let arrangement)? = screen.press(.enter)?.request else { continue }
            #expect(arrangement.hidden.count < 4)
            #expect(arrangement.order.isEmpty || Set(arrangement.order).count == 4 && arrangement.order.count == 4)
            screen.resize(to: ScreenSize(columns: 80, rows: 24))
            #expect(headings(screen).count == 4 - arrangement.hidden.count)
        }
    }
}
