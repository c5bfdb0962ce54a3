import ProfileTesting
import TerminalUI
import Testing
import TextLayout
import Watchdog

/// The keys of the table that are those of visidata and lazygit.
@Suite(.watched) struct BrowseKeysTests {
    private let people = BrowsedPeople(1_000)

    // MARK: Going to rows

    @Test func `the letters of vi move as the arrow keys, Home and End do`() {
        var screen = BrowseScreen.browsing(people)
        screen.type("jjk", reading: people)
        #expect(screen.told("selected") == "person1")
        screen.type("G", reading: people)
        #expect(screen.told("selected") == "person999")
        screen.type("g", reading: people)
        #expect(screen.told("selected") == "person0")
        screen.type("l", reading: people)
        #expect(screen.told("column") == "Age")
        screen.type("h", reading: people)
        #expect(screen.told("column") == "Username")
        screen.type("/gjkhlG", reading: people)
        #expect(screen.told("search") == "gjkhlG", "in a search they are text")
    }

    @Test func `a colon and a number go to that row, and to the last one if there are fewer`() {
        var screen = BrowseScreen.browsing(people)
        screen.type(":7", reading: people)
        #expect(screen.text().contains("Go to row: 7") && screen.told("selected") == "person0")
        screen.type("x0", reading: people)
        screen.press(.backspace, .paste("4 2"), .enter, reading: people)
        #expect(screen.told("selected") == "person741" && screen.text().contains("742 of 1,000"))
        screen.type(":3\n", reading: people)
        #expect(screen.told("selected") == "person741" && screen.text().contains("row: 3"), "a line feed is no digit")
        screen.press(.escape, reading: people)
        screen.type(":3", reading: people)
        screen.press(.escape, reading: people)
        #expect(screen.told("selected") == "person741")
        screen.type(":3", reading: people)
        screen.press(.enter, reading: people)
        #expect(screen.told("selected") == "person2")
        screen.type(":99999999999999999999", reading: people)
        screen.press(.enter, reading: people)
        #expect(screen.told("selected") == "person999" && screen.text().contains("1,000 of 1,000"))
        screen.type(":0", reading: people)
        screen.press(.enter, reading: people)
        #expect(screen.told("selected") == "person0")
        screen.type(":", reading: people)
        screen.press(.enter, reading: people)
        #expect(screen.told("selected") == "person0")
        screen.type(":", reading: people)
        screen.press(.backspace, reading: people)
        #expect(!screen.text().contains("Go to row"))
    }

    @Test func `Esc stops the search for a distant row, and the table stays where it was`() throws {
        var people = BrowsedPeople(9_000)
        people.portion = 50
        var screen = BrowseScreen.browsing(people)
        // In a sorted table, the rows before the wanted one are read.
        screen.type("s:4400", reading: people)
        screen.press(.enter)
        for _ in 0..<5 { screen.receive(people.answer(try #require(screen.demand))) }
        #expect(screen.text().contains("reading …") && screen.names.first == "person0")
        #expect(screen.press(.escape, reading: people)?.isLeave == nil)
        #expect(screen.told("selected") == "person0" && !screen.text().contains("reading …"))
    }

    @Test func `in any view, a number goes to its row, however fast rows are read`() {
        var random = SeededGenerator(printingSeedOf: "numbers of rows")
        for _ in 0..<rounds(20) {
            var people = BrowsedPeople(Int.random(in: 1...6_000, using: &random))
            people.portion = random.once(in: 2) ? .max : Int.random(in: 20...300, using: &random)
            people.lookedAt = random.once(in: 2) ? .max : Int.random(in: 100...900, using: &random)
            var screen = BrowseScreen(columns: BrowsedPeople.columns)
            screen.resize(to: ScreenSize(columns: 80, rows: Int.random(in: 3...30, using: &random)))
            if random.once(in: 2) { screen.read(people) }
            for _ in 0..<5 {
                if random.once(in: 3) { screen.type(["s", "l", "G", "g", "/1"].randomElement(using: &random) ?? "s") }
                screen.press(.tab)
                let number = Int.random(in: 1...people.people.count + 10, using: &random)
                screen.type(":\(number)")
                screen.press(.enter, reading: people)
                let names = people.rows(screen.shownView).map(\.name)
                let index = min(number, names.count) - 1
                guard index >= 0 else { continue }
                #expect(screen.told("selected") == names[index])
                #expect(screen.text().contains("\((index + 1).grouped) of \(names.count.grouped)"))
                #expect(screen.names.contains(names[index]))
                #expect(screen.names.count == min(names.count, screen.rowsOfTable))
            }
        }
    }

    // MARK: Columns and details

    @Test func `numbers are aligned to the right`() throws {
        var people = people
        people.columns = [BrowsedPeople.columns[0], BrowseColumn("age", title: "Age in years", isNumber: true)]
        var screen = BrowseScreen.browsing(people)
        screen.press(.character("r"), reading: people)
        let lines = screen.text(60, 20).split(separator: "\n", omittingEmptySubsequences: false).dropFirst(2).prefix(10)
        let heading = try #require(lines.first)
        #expect(heading.hasSuffix("Age in years"))
        #expect(lines.dropFirst().allSatisfy { $0.count == heading.count }, "\(lines)")
    }

    @Test func `the screen shows the number of hidden columns and their direction`() {
        var people = people
        people.columns = (0..<50).map { BrowseColumn("f\($0)", title: "Field number \($0)") }
        var screen = BrowseScreen(columns: people.columns)
        screen.resize(to: ScreenSize(columns: 80, rows: 24))
        screen.read(people)
        #expect(screen.text().contains("─ 45 more columns → ─") || screen.text().contains(" 45 more columns →"))
        for _ in 0..<60 { screen.press(.right, reading: people) }
        #expect(screen.text().contains("← 45 more columns") && screen.told("column") == "Field number 49")
        screen.type("/" + String(repeating: "x", count: 70), reading: people)
        #expect(!screen.text().contains("more columns") && screen.text().contains("xxxx"))
        people.columns = Array(people.columns.prefix(6))
        var small = BrowseScreen(columns: people.columns)
        small.resize(to: ScreenSize(columns: 80, rows: 24))
        small.read(people)
        #expect(small.text().contains(" 1 more column →"))
    }

    @Test func `J and K scroll the details of a profile, and another one begins at its top`() {
        var people = people
        for index in 0..<2 { people.people[index].issues = (0..<9).map { "issue \($0)" } }
        var screen = BrowseScreen.browsing(people)
        #expect(screen.text().contains("✗ issue 3") && !screen.text().contains("✗ issue 4"))
        screen.type("JJJ", reading: people)
        #expect(!screen.text().contains("✗ issue 1") && screen.text().contains("✗ issue 6"))
        screen.type("K", reading: people)
        #expect(screen.text().contains("✗ issue 1") && !screen.text().contains("✗ issue 6"))
        for _ in 0..<30 { screen.type("J", reading: people) }
        #expect(screen.text().contains(" Revision: 1"))
        screen.type("K", reading: people)
        #expect(!screen.text().contains(" Revision: 1"), "no key is lost at the end")
        screen.type("j", reading: people)
        #expect(screen.text().contains("✗ issue 0"))
    }

    // MARK: Help

    @Test(arguments: [
        (80, 24), (40, 15), (120, 30), (20, 4),
    ])
    func `a question mark shows all keys, which scroll, and closes with Esc`(columns: Int, rows: Int) {
        var screen = BrowseScreen.browsing(people)
        screen.resize(to: ScreenSize(columns: columns, rows: rows))
        screen.type("?", reading: people)
        #expect(screen.text(columns, rows).contains("Keys") && screen.told("text") == "Keys")
        var seen = screen.text(columns, rows)
        for _ in 0..<250 {
            screen.type("j", reading: people)
            seen += screen.text(columns, rows)
        }
        let keys = "j k,PgUp,g G,:,h l,J K,/,s ,=,!,f ,Esc,Return,n ,Del,u ,H ,y ,Y ,Space,a ,e ,x ,c "
        for key in keys.split(separator: ",") {
            #expect(seen.contains(key), "\(key)")
        }
        #expect(screen.text(columns, rows).contains("leave"), "it ends at its last line")
        #expect(screen.told("selected") == "person0")
        screen.press(.home)
        #expect(!screen.text(columns, rows).contains("leave") || rows >= 24)
        #expect(screen.press(.escape, reading: people)?.isLeave == nil)
        #expect(screen.told("text") == "null" && screen.text(80, 24).contains("person3"))
    }

    // MARK: Filters by value

    @Test func `an equals sign shows profiles with the value, an exclamation mark the others, and Esc goes back`() {
        var screen = BrowseScreen.browsing(people)
        screen.type("jl=", reading: people)
        #expect(screen.names.first == "person1" && screen.told("count") == "10" && screen.text().contains("Age = 37"))
        #expect(screen.names == people.rows(screen.view).map(\.name))
        screen.type("jh!", reading: people)
        #expect(screen.told("count") == "9" && screen.text().contains("Username ≠ "))
        #expect(screen.press(.escape, reading: people)?.isLeave == nil)
        #expect(screen.told("count") == "10")
        screen.type("l!", reading: people)
        #expect(screen.told("count") == "990" && screen.text().contains("Age ≠ 37"))
        #expect(!screen.text().contains("Age = "))
        screen.press(.escape, reading: people)
        #expect(screen.told("count") == "1000" && screen.told("conditions") == "0")
        screen.press(.home, reading: people)
        screen.type("=", reading: people)
        #expect(screen.text().contains("Age empty") && screen.told("count") == "143")
        screen.type("!", reading: people)
        #expect(screen.text().contains("Age not empty") && screen.told("count") == "857")
        #expect(screen.press(.escape, reading: people)?.isLeave == nil)
        #expect(screen.press(.escape, reading: people)?.isLeave == true)
    }

    @Test func `a value that is shown in part only is no filter`() {
        var people = people
        people.people[0].name = String(repeating: "x", count: 400)
        var screen = BrowseScreen.browsing(people)
        screen.type("=", reading: people)
        #expect(screen.told("conditions") == "0" && screen.text().contains("too long for a filter"))
    }

    @Test func `a filter whose column is gone ends`() {
        var screen = BrowseScreen.browsing(people)
        screen.type("l=", reading: people)
        var others = people
        others.columns = [BrowsedPeople.columns[0]]
        screen.type("r", reading: others)
        #expect(screen.told("conditions") == "0" && screen.told("count") == "1000")
    }

    // MARK: Errands

    @Test func `u asks before it undoes, and then reads again`() {
        var people = people
        var screen = BrowseScreen.browsing(people)
        #expect(screen.press(.character("u"))?.request == .previewUndo && screen.isBusy)
        #expect(screen.text().contains("Reading the newest change …"))
        screen.receive(.undoable(change: 7, text: "1 profile would come back."))
        #expect(!screen.text().contains("Reading"))
        #expect(screen.text().contains("Undo the newest change?"))
        #expect(screen.text().contains("1 profile would come back."))
        #expect(screen.press(.enter) == nil && screen.told("question") == "null", "to keep it comes first")
        screen.press(.character("u"))
        screen.receive(.undoable(change: 7, text: ""))
        #expect(screen.press(.down, .enter)?.request == .undo(change: 7))
        #expect(screen.text().contains("Undoing …"))
        people.people.removeFirst(10)
        screen.receive(.changed("10 profiles removed", left: nil))
        screen.read(people)
        #expect(screen.text().contains("10 profiles removed") && screen.told("count") == "990")
        screen.press(.character("u"))
        screen.receive(.noted("There is no change to undo"))
        #expect(screen.text().contains("There is no change to undo") && !screen.isBusy)
        let left = TextScreen(title: "", lines: [.init("person5: changed since")])
        screen.receive(.changed("1 profile stayed", left: left))
        #expect(screen.text().contains("person5: changed since"))
    }

    @Test func `H shows the history of the profile, y copies a value and Y all of them`() {
        var screen = BrowseScreen.browsing(people)
        screen.type("jl", reading: people)
        #expect(screen.press(.character("H"))?.request == .history(id: 2, name: "person1"))
        let lines = (0..<40).flatMap { number in
            [TextScreen.Line("change \(number)", .bold), .init("  Age  ", "\(number) → \(number + 1)")]
        }
        screen.receive(.text(TextScreen(title: "History of person1", lines: lines)))
        #expect(screen.text().contains("  Age  0 → 1") && screen.text().contains("1–21 of 80"))
        screen.press(.end)
        #expect(screen.text().contains("  Age  39 → 40") && screen.text().contains("60–80 of 80"))
        screen.press(.character("q"))
        #expect(screen.told("text") == "null")
        #expect(screen.press(.character("y"))?.request == .copy(id: 2, BrowsedPeople.columns[1]))
        screen.receive(.noted("Copied Age"))
        #expect(screen.press(.character("Y"))?.request == .copy(id: 2, nil))
    }
}
