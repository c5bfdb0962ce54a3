import ProfileCore
import ProfileTesting
import TerminalUI
import Testing
import TextLayout
import Watchdog

@Suite(.watched) struct BrowseScreenTests {
    private let people = BrowsedPeople(1_000)

    // MARK: Going through

    @Test func `keys reach all rows, although only a few rows are in memory`() {
        var screen = BrowseScreen.browsing(people)
        #expect(screen.told("selected") == "person0" && screen.told("count") == "1000")
        screen.press(.down, .down, .up, reading: people)
        #expect(screen.told("selected") == "person1")
        screen.press(.pageDown, reading: people)
        let height = screen.names.count
        #expect(screen.told("selected") == "person\(height)")
        screen.press(.end, reading: people)
        #expect(screen.told("selected") == "person999" && screen.names.last == "person999")
        #expect(screen.text().contains("1,000 of 1,000"))
        screen.press(.down, .pageUp, .up, reading: people)
        #expect(screen.told("selected") == "person\(999 - height)")
        screen.press(.home, .up, .pageUp, reading: people)
        #expect(screen.told("selected") == "person0" && screen.names.first == "person0")
    }

    @Test func `keys work while rows are read, and rows of an earlier search are not shown`() throws {
        var screen = BrowseScreen(columns: BrowsedPeople.columns)
        #expect(screen.text().contains("reading …"))
        let first = try #require(screen.demand)
        screen.press(.character("/"), .character("9"), .character("9"))
        #expect(screen.told("search") == "99" && screen.demand != first)
        #expect(screen.demand != first, "whoever runs the screen hands in no answer to another demand")
        screen.read(people)
        #expect(screen.told("selected") == "person99")
        #expect(screen.told("count") == String(people.rows(screen.view).count))
    }

    @Test func `the rows stay in sight until the rows of another search have been read`() throws {
        var screen = BrowseScreen.browsing(people)
        var slow = people
        slow.lookedAt = 100
        screen.press(.character("/"), .character("9"), .character("9"), .character("9"))
        // The first portions have nothing.
        for _ in 0..<3 { screen.receive(slow.answer(try #require(screen.demand))) }
        #expect(screen.names.first == "person0" && screen.text().contains("reading …"))
        screen.read(slow)
        #expect(screen.names == ["person999"])
        screen.press(.character("9"), reading: slow)
        #expect(screen.names == [] && screen.text().contains("Nothing is found"))
        screen.press(.backspace, .backspace, .backspace, reading: slow)
        #expect(screen.told("search") == "9")
        screen.press(.escape, reading: slow)
        #expect(screen.told("search") == "" && screen.told("is_searching") == "false" && screen.names.count > 3)
    }

    @Test func `in the search, every key is text except the keys that leave it`() {
        var screen = BrowseScreen.browsing(people)
        screen.press(.character("/"), reading: people)
        for key in "nsfrdqe/" { screen.press(.character(key), reading: people) }
        #expect(screen.told("search") == "nsfrdqe/")
        screen.press(.control("u"), .paste("person9\nx"), .left, .down, reading: people)
        #expect(screen.told("search") == "person9" && screen.told("selected") == "person90")
        screen.press(.enter, .character("s"), reading: people)
        #expect(screen.told("search") == "person9" && screen.told("order") == "username")
        #expect(screen.press(.escape, reading: people)?.isLeave == nil)
        #expect(screen.told("search") == "")
        #expect(screen.press(.escape, reading: people)?.isLeave == true)
        screen.press(.character("/"), .backspace, reading: people)
        #expect(screen.told("is_searching") == "false")
    }

    @Test func `the key s sorts by the chosen column, then in reverse order, and then not at all`() {
        var screen = BrowseScreen.browsing(people)
        screen.press(.right, .right, .character("s"), reading: people)
        #expect(screen.text().contains("by Age ↑") && screen.text().contains("Age ↑\n"))
        let ages = people.people.compactMap(\.age)
        #expect(screen.text().contains("  \(ages.min() ?? 0)"))
        screen.press(.character("s"), reading: people)
        #expect(screen.text().contains("by Age ↓"))
        screen.press(.end, reading: people)
        #expect(screen.text().contains("–"), "who has none comes last")
        screen.press(.character("s"), reading: people)
        #expect(screen.told("order") == "null" && screen.names.first == "person0")
    }

    @Test func `the key f shows the invalid profiles, then those not judged yet, and then all`() {
        var people = people
        people.people[700].issues = ["age should be at most 50"]
        var screen = BrowseScreen.browsing(people)
        screen.press(.character("f"), reading: people)
        #expect(screen.names == ["person700"] && screen.told("filter") == "invalid")
        #expect(screen.text().contains("✗ age should be at most 50") && screen.text().contains("! person700"))
        #expect(screen.text(120, 30).contains("│ ✗ age should be at most 50"))
        #expect(screen.text(60, 12).contains("✗ age should be at most 50"))
        screen.press(.character("f"), reading: people)
        #expect(screen.told("filter") == "not judged yet")
        screen.press(.character("f"), reading: people)
        #expect(screen.told("filter") == "everything")
    }

    // MARK: Errands

    @Test func `Return and n open a form, and the table returns to the same place`() throws {
        var screen = BrowseScreen.browsing(people)
        screen.press(
            .character("/"), .character("9"), .enter, .right, .character("s"), .pageDown, .down, reading: people)
        let before = (screen.told("selected"), screen.names, screen.told("order"))
        let id = people.people.first { $0.name == before.0 }?.id
        guard case .edit(id, let place) = screen.press(.enter)?.request else {
            Issue.record("no edit")
            return
        }
        #expect(screen.isBusy && screen.handle(.down) == nil)
        let back = BrowseScreen.browsing(people, at: place)
        #expect((back.told("selected"), back.names, back.told("order")) == before)
        #expect(back.text().split(separator: "\n")[0] == screen.text().split(separator: "\n")[0])
        var other = back
        guard case .register(place) = other.press(.character("n"))?.request else {
            Issue.record("no registration")
            return
        }
    }

    @Test func `row numbers are right if rows are read from the end`() {
        let people = BrowsedPeople(6_000)
        var screen = BrowseScreen.browsing(people)
        screen.press(.end, reading: people)
        for _ in 0..<400 { screen.press(.pageUp, reading: people) }
        let index = people.people.firstIndex { $0.name == screen.told("selected") } ?? 0
        #expect(index < 3_000 && screen.text().contains("\((index + 1).grouped) of 6,000"))
    }

    @Test func `a row number that may be outdated is not shown`() {
        var people = people
        var screen = BrowseScreen.browsing(people)
        for _ in 0..<20 { screen.press(.pageDown, reading: people) }
        #expect(screen.text().contains(" of 1,000"))
        screen.press(.character("r"), reading: people)
        #expect(screen.text().contains(" of 1,000"))
        people.people.removeFirst(10)
        screen.press(.character("r"), reading: people)
        #expect(!screen.text().contains(" of ") && screen.text().contains(" 990\n"))
        screen.press(.home, reading: people)
        #expect(screen.text().contains("1 of 990"))
        screen.press(.end, .up, .up, reading: people)
        let back = BrowseScreen.browsing(people, at: screen.place)
        #expect(back.text().contains("988 of 990") && back.told("selected") == screen.told("selected"))
    }

    @Test func `if the selected profile is gone, the next one is selected`() {
        var people = people
        var screen = BrowseScreen.browsing(people)
        screen.press(.pageDown, .pageDown, .up, .up, .up, reading: people)
        let selected = screen.told("selected")
        let index = people.people.firstIndex { $0.name == selected } ?? 0
        people.people.remove(at: index)
        let back = BrowseScreen.browsing(people, at: screen.place)
        #expect(back.told("selected") == people.people[index].name)
    }

    @Test func `a table whose earlier rows are all gone shows other rows`() throws {
        var people = people
        var screen = BrowseScreen.browsing(people)
        screen.press(.pageDown, .pageDown, .pageDown, .pageDown, reading: people)
        let (names, place) = (screen.names, screen.place)
        people.people.removeAll { names.contains($0.name) }
        var back = BrowseScreen.browsing(people, at: place)
        #expect(back.told("selected") != "nothing" && Set(back.names).isDisjoint(with: names))
        back.press(.home, reading: people)
        #expect(back.told("selected") == "person0")
    }

    @Test func `Delete asks, and removes what was asked about`() {
        var people = people
        var screen = BrowseScreen.browsing(people)
        screen.press(.down, .delete, reading: people)
        #expect(screen.text().contains("Remove person1?"))
        screen.press(.enter, reading: people)
        #expect(!screen.text().contains("Remove person") && !screen.isBusy, "to keep it comes first")
        screen.press(.character("d"), .escape, .character("d"), reading: people)
        guard case .remove(id: 2, name: "person1", revision: 1) = screen.press(.down, .enter)?.request else {
            Issue.record("nothing to remove")
            return
        }
        people.people.remove(at: 1)
        screen.receive(.removed(id: 2, name: "person1"))
        screen.read(people)
        #expect(screen.told("selected") == "person2" && screen.text().contains("Removed person1"))
        #expect(screen.told("count") == "999" && screen.text().contains("2 of 999"))
        screen.press(.delete, .down, .enter)
        screen.receive(.failed("Another process holds the store"))
        #expect(screen.text().contains("Another process holds the store"))
        screen.press(.enter, .down, reading: people)
        #expect(screen.told("selected") == "person3")
    }

    @Test func `an empty table has nothing to change, and n registers a profile`() {
        var screen = BrowseScreen.browsing(BrowsedPeople(0))
        #expect(screen.text().contains("There are no profiles yet: n registers one"))
        for key in [Key.enter, .delete, .down, .pageUp, .end, .home] {
            #expect(screen.press(key, reading: BrowsedPeople(0)) == nil)
        }
        #expect(screen.told("question") == "null" && screen.told("selected") == "null")
        screen.press(.character("s"), reading: BrowsedPeople(0))
        #expect(screen.text().contains("There are no profiles yet"), "in any order")
        #expect(screen.press(.character("n"))?.request != nil)
    }

    @Test func `an error of reading is shown, and r reads again`() throws {
        var screen = BrowseScreen.browsing(people)
        screen.press(.character("s"))
        screen.receive(.unreadable("The store is busy"))
        #expect(screen.demand == nil && screen.text().contains("The store is busy (r reads again)"))
        screen.press(.down, .character("r"), reading: people)
        #expect(screen.told("is_reading") == "false" && !screen.text().contains("busy"))
    }

    @Test func `changed rules change the columns of an open table, and end an order by a missing column`() {
        var screen = BrowseScreen.browsing(people)
        screen.press(.right, .character("s"), .pageDown, reading: people)
        var others = people
        others.columns = [BrowsedPeople.columns[0]]
        screen.press(.character("r"), reading: others)
        #expect(screen.told("order") == "null" && screen.told("column") == "Username")
        #expect(screen.text().contains("The rules have changed") && !screen.text().contains("Age"))
        #expect(screen.names.first == "person0" && screen.told("count") == "1000")
        others.columns = [BrowseColumn("note", title: "Note"), BrowsedPeople.columns[1], BrowsedPeople.columns[0]]
        screen.press(.character("s"), reading: others)
        #expect(screen.text().contains("  Note") && screen.told("column") == "Username")
        #expect(screen.told("order") == "username" && screen.names.first == "person0")
    }

    @Test func `until a search has been read, the rows of the earlier view cannot be opened or removed`() {
        var screen = BrowseScreen.browsing(people)
        screen.press(.character("/"), .character("9"), .character("9"), .enter)
        for key in [Key.enter, .delete, .character("d"), .character("e")] {
            #expect(screen.press(key) == nil && screen.told("question") == "null" && !screen.isBusy)
            #expect(screen.text().contains("Still reading"))
        }
        screen.read(people)
        guard case .edit(id: 100, _) = screen.press(.enter)?.request else {
            Issue.record("not the one that was found")
            return
        }
    }

    @Test func `the key column and the column with the match stay in sight among many columns`() {
        var people = people
        people.columns = (0..<20).map { BrowseColumn("f\($0)", title: "Field \($0)") }
        people.columns.append(BrowseColumn("username", title: "Username", isKey: true))
        people.columns += (20..<40).map { BrowseColumn("f\($0)", title: "Field \($0)") }
        var screen = BrowseScreen(columns: people.columns)
        screen.resize(to: ScreenSize(columns: 60, rows: 20))
        screen.read(people)
        #expect(screen.text(60, 20).contains("Username") && screen.text(60, 20).contains("person3"))
        #expect(!screen.text(60, 20).contains("Field 30"))
        people.wanted = "f30"
        screen.press(.character("/"), .character("x"), reading: people)
        #expect(screen.text(60, 20).contains("Field 30"))
    }

    @Test func `of a long value, only the shown part with the searched text is kept`() {
        let long = String(repeating: "e\u{301}x ", count: 5_000) + "Łódź" + String(repeating: "y", count: 900)
        func cell(_ search: String) -> String {
            let row = BrowseRow(
                id: 1, revision: 1, name: "a", cells: [long, nil, "short"], searching: search, issues: [], facts: [],
                place: "1")
            #expect(row.cells[1] == nil && row.cells[2] == "short")
            return row.cells[0] ?? ""
        }
        #expect(cell("").hasPrefix("e\u{301}x ") && cell("").hasSuffix("…") && cell("").count < 310)
        #expect(cell("lodz").contains("Łódź") && cell("lodz").hasPrefix("…") && cell("lodz").unicodeScalars.count < 310)
        #expect(cell("nowhere") == cell(""))
    }

    @Test func `a shortened value can be recognised, wherever the searched text begins and ends`() {
        // Different characters, so that a searched text occurs once.
        let letters = (0..<400).compactMap { UnicodeScalar(0x4E00 + $0).map(String.init) }.joined()
        for start in 0..<400 {
            for length in [1, 149, 150, 151, 299, 300, 301, 400] where start + length <= 400 {
                let search = String(letters.dropFirst(start).prefix(length))
                let row = BrowseRow(
                    id: 1, revision: 1, name: "a", cells: [letters], searching: search, issues: [], facts: [],
                    place: "1")
                #expect((row.cells[0] ?? "").unicodeScalars.count > 300, "\(start), \(length)")
            }
        }
    }

    @Test func `rows keep their numbers if they are read again before the rows above them`() throws {
        var people = people
        people.portion = 5
        var screen = BrowseScreen.browsing(people)
        _ = screen.handle(.end)
        screen.receive(people.answer(try #require(screen.demand)))
        screen.press(.character("r"), reading: people)
        #expect(screen.told("selected") == "person999")
        #expect(screen.text().contains("1,000 of 1,000"))
    }

    // MARK: Of any size, and at random

    @Test func `whatever the size, the selected row is in sight and nothing is written beyond the screen`() {
        var screen = BrowseScreen.browsing(people)
        screen.press(.pageDown, .pageDown, .character("/"), .character("7"), .enter, .down, .down, reading: people)
        for columns in [0, 1, 5, 20, 40, 80, 99, 100, 101, 200] {
            for rows in [0, 1, 2, 3, 4, 5, 7, 8, 10, 17, 18, 24, 60] {
                screen.resize(to: ScreenSize(columns: columns, rows: rows))
                screen.read(people)
                let text = screen.text(columns, rows)
                if columns >= 20, rows >= 3 {
                    #expect(text.contains(screen.told("selected").prefix(6)), "\(columns)×\(rows)\n\(text)")
                }
            }
        }
    }

    @Test func `after any keys at any speed, the table shows consecutive rows of its view`() throws {
        var random = SeededGenerator(printingSeedOf: "keys in a table")
        for _ in 0..<rounds(20) {
            var people = BrowsedPeople(Int.random(in: 0...400, using: &random))
            for index in people.people.indices where random.once(in: 9) { people.people[index].issues = ["wrong"] }
            people.portion = random.once(in: 2) ? .max : Int.random(in: 1...30, using: &random)
            people.lookedAt = random.once(in: 2) ? .max : Int.random(in: 1...60, using: &random)
            var screen = BrowseScreen(columns: BrowsedPeople.columns)
            screen.resize(to: ScreenSize(columns: 80, rows: Int.random(in: 3...30, using: &random)))
            screen.read(people)
            // The index that is selected, as long as everything is read before each key.
            var expected: Int? = 0
            for _ in 0..<60 {
                let keys: [Key] = [
                    .up, .down, .down, .pageUp, .pageDown, .pageDown, .home, .end, .left, .right, .character("s"),
                    .character("f"), .character("r"), .character("/"), .character("1"), .backspace, .escape, .tab,
                    .character("="), .character("!"), .character("J"),
                ]
                let key = keys.randomElement(using: &random) ?? .up
                if key == .escape, screen.told("search").isEmpty, screen.told("is_searching") == "false" { continue }
                let all = people.rows(screen.shownView)
                let page = max(1, screen.rowsOfTable - 1)
                let (view, before) = (screen.shownView, screen.told("selected"))
                _ = screen.handle(key)
                if random.once(in: 4) {
                    // The next key comes before everything has been read.
                    if let demand = screen.demand, random.once(in: 2) { screen.receive(people.answer(demand)) }
                    expected = nil
                    continue
                }
                screen.read(people)
                switch key {
                case .up: expected = expected.map { max(0, $0 - 1) }
                case .down: expected = expected.map { min(all.count - 1, $0 + 1) }
                case .pageUp: expected = expected.map { max(0, $0 - page) }
                case .pageDown: expected = expected.map { min(all.count - 1, $0 + page) }
                case .home: expected = 0
                // If another view was still being read, this is the end of that view.
                case .end: expected = people.rows(screen.shownView).count - 1
                default:
                    if screen.shownView != view {
                        // If the earlier key came too fast, it may have gone to the end of that view.
                        expected = expected == nil || key == .character("r") ? nil : 0
                    } else if key == .character("r") {
                        #expect(screen.told("selected") == before || expected == nil)
                    }
                }
                let now = people.rows(screen.shownView)
                let names = now.map(\.name)
                let seen = screen.names
                let start = seen.first.flatMap(names.firstIndex) ?? 0
                #expect(Array(names.dropFirst(start).prefix(seen.count)) == seen)
                #expect(seen.count == min(now.count, screen.rowsOfTable), "no line is empty while there are rows")
                if let expected, !now.isEmpty {
                    #expect(screen.told("selected") == names[min(expected, names.count - 1)], "\(key)")
                    #expect(screen.text().contains("\(min(expected, names.count - 1) + 1) of \(now.count)"))
                }
                #expect(now.isEmpty ? seen.isEmpty : seen.contains(screen.told("selected")))
                if expected == nil { expected = names.firstIndex(of: screen.told("selected")) }
            }
        }
    }
}
