import ProfileTesting
import TerminalUI
import Testing
import Watchdog

/// The selection of profiles in the table, and the actions on all selected profiles.
@Suite(.watched) struct BrowseSelectionTests {
    private let people = BrowsedPeople(1_000)

    @Test func `Space selects a profile and goes to the next, and deselects a selected profile`() {
        var screen = BrowseScreen.browsing(people)
        screen.type("  j ", reading: people)
        #expect(screen.told("marked") == "3" && screen.text().contains("3 selected · 5 of 1,000"))
        for name in ["person0", "person1", "person3"] { #expect(screen.text().contains(" •\(name) ")) }
        #expect(!screen.text().contains("•person2"))
        screen.type("g ", reading: people)
        #expect(screen.told("marked") == "2" && !screen.text().contains("•person0"))
        screen.type("/ x", reading: people)
        #expect(screen.told("search") == " x", "in a search it is a space")
    }

    @Test func `a selection stays through searches, orders and forms, and Esc ends it first`() throws {
        var screen = BrowseScreen.browsing(people)
        screen.type(" s/99", reading: people)
        screen.press(.enter, .character(" "), reading: people)
        #expect(screen.told("marked") == "2" && screen.text().contains("2 selected"))
        guard case .register(let place) = screen.press(.character("n"))?.request else {
            Issue.record("no registration")
            return
        }
        var back = BrowseScreen.browsing(people, at: place)
        #expect(back.told("marked") == "2" && back.text().contains("•person99"))
        #expect(back.press(.escape, reading: people)?.isLeave == nil)
        #expect(back.told("marked") == "0" && back.told("search") == "99")
        back.press(.escape, reading: people)
        #expect(back.told("search") == "")
        #expect(back.press(.escape, reading: people)?.isLeave == true)
    }

    @Test func `the key a selects all profiles that match`() throws {
        var screen = BrowseScreen.browsing(people)
        screen.type(" /99", reading: people)
        screen.press(.enter, reading: people)
        guard case .select(let view) = screen.press(.character("a"))?.request else {
            Issue.record("no selection")
            return
        }
        #expect(view.search == "99" && screen.isBusy && screen.text().contains("Selecting …"))
        screen.receive(.selected(Set(people.rows(view).map(\.id))))
        #expect(!screen.isBusy && screen.text().contains("Selected 19 profiles") && screen.told("marked") == "20")
    }

    @Test func `until a search has been read, the rows of the earlier view cannot be selected`() {
        var screen = BrowseScreen.browsing(people)
        screen.press(.character("/"), .character("9"), .enter, .character(" "))
        #expect(screen.told("marked") == "0" && screen.text().contains("Still reading"))
    }

    // MARK: Edits

    @Test func `the key e sets a field of all selected profiles after a preview of the changes`() throws {
        var screen = BrowseScreen.browsing(people)
        screen.type("l  e", reading: people)
        #expect(screen.text().contains("Set in 2 profiles: age="))
        screen.type("4x", reading: people)
        screen.press(.backspace, .paste("0\nz"), reading: people)
        #expect(screen.press(.enter)?.request == .previewEdit([1, 2], setting: "age=40") && screen.isBusy)
        #expect(screen.text().contains("Reading 2 profiles …"))
        screen.receive(.failed("There is no field age to set"))
        screen.press(.enter)
        #expect(screen.text().contains("Set in 2 profiles: age=40"), "what was typed can be mended")
        screen.press(.enter)
        screen.receive(.editable([1, 2], setting: "age=40", text: "2 profiles would be edited."))
        #expect(screen.text().contains("Edit 2 profiles?") && screen.text().contains("2 profiles would be edited."))
        #expect(screen.press(.enter) == nil && screen.told("question") == "null", "to keep them comes first")
        screen.type("e", reading: people)
        screen.press(.enter)
        screen.receive(.editable([1, 2], setting: "age=", text: ""))
        #expect(screen.press(.down, .enter)?.request == .editMany([1, 2], setting: "age="))
        #expect(screen.text().contains("Editing …"))
        screen.receive(.changed("1 profile edited", left: TextScreen(title: "Edited in part", lines: [.init("x: y")])))
        screen.read(people)
        #expect(screen.told("text") == "Edited in part" && screen.text().contains("x: y"))
        screen.press(.escape, reading: people)
        #expect(screen.told("marked") == "2", "more can be done with them")
    }

    @Test func `the line of an edit begins with the column, unless it is the key, and Esc leaves it`() {
        var screen = BrowseScreen.browsing(people)
        screen.type(" e", reading: people)
        #expect(screen.text().contains("Set in 1 profile: username="))
        #expect(screen.press(.escape, reading: people) == nil && screen.told("marked") == "1")
        #expect(!screen.text().contains("Set in"))
        var others = people
        others.columns = [BrowseColumn("username", title: "Username", isKey: true)]
        screen.type("re", reading: others)
        #expect(screen.text().contains("Set in 1 profile: \n") || screen.text().contains("Set in 1 profile:\n"))
        screen.press(.backspace, reading: others)
        #expect(!screen.text().contains("Set in"))
        guard case .edit(id: 1, _) = screen.press(.enter)?.request else {
            Issue.record("Return still opens the form")
            return
        }
    }

    // MARK: Removals

    @Test func `d removes all selected profiles after a question with their number`() throws {
        var people = people
        var screen = BrowseScreen.browsing(people)
        screen.type("   d", reading: people)
        #expect(screen.text().contains("Remove 3 profiles?"))
        #expect(screen.press(.enter) == nil && screen.told("marked") == "3", "to keep them comes first")
        screen.press(.delete)
        #expect(screen.press(.down, .enter)?.request == .removeMany([1, 2, 3]))
        people.people.removeFirst(3)
        screen.receive(.removedMany("Removed 3 profiles"))
        screen.read(people)
        #expect(screen.told("marked") == "0" && screen.told("count") == "997" && screen.text().contains("Removed 3"))
        screen.type(" d", reading: people)
        screen.press(.down, .enter)
        screen.receive(.stopped("Removed 0 profiles, and then it stopped."))
        screen.read(people)
        #expect(screen.text().contains("and then it stopped") && screen.told("is_reading") == "false")
    }

    @Test func `a profile that is removed alone leaves the selection`() {
        var screen = BrowseScreen.browsing(people)
        screen.type("  ", reading: people)
        screen.receive(.removed(id: 1, name: "person0"))
        screen.read(people)
        #expect(screen.told("marked") == "1")
    }

    // MARK: Exports

    @Test func `x exports the selection, and asks before it replaces a file`() throws {
        var screen = BrowseScreen.browsing(people)
        screen.type(" x", reading: people)
        #expect(screen.text().contains("Export 1 profile to the file:"))
        screen.type("a b.csv", reading: people)
        let view = screen.view
        func export(_ path: String, isReplacing: Bool = false) -> BrowseExport {
            BrowseExport(ids: [1], view: view, columns: nil, path: path, isReplacing: isReplacing)
        }
        #expect(screen.press(.enter)?.request == .export(export("a b.csv")))
        screen.receive(.exists(export("a b.csv")))
        #expect(screen.text().contains("a b.csv exists already."))
        #expect(screen.press(.enter) == nil, "to keep it comes first")
        screen.type("xy", reading: people)
        screen.press(.enter)
        screen.receive(.exists(export("y")))
        #expect(screen.press(.down, .enter)?.request == .export(export("y", isReplacing: true)))
        screen.receive(.exported("Exported 1 profile to y"))
        #expect(screen.text().contains("Exported 1 profile to y") && screen.told("marked") == "1")
    }

    @Test func `without a selection x exports all that match`() {
        var screen = BrowseScreen.browsing(people)
        screen.type("/99", reading: people)
        screen.press(.enter, .character("x"), reading: people)
        #expect(screen.text().contains("Export 19 profiles to the file:"))
        #expect(screen.press(.enter) == nil && !screen.text().contains("Export 19"), "no name is no export")
        screen.type("xy", reading: people)
        let export = BrowseExport(ids: nil, view: screen.view, columns: nil, path: "y", isReplacing: false)
        #expect(screen.press(.enter)?.request == .export(export))
        screen.receive(.failed("y cannot be created"))
        screen.press(.enter)
        #expect(screen.text().contains("to the file: y"))
    }

    // MARK: Of any size, and at random

    @Test func `with a selection, every size shows it and nothing is written beyond the screen`() {
        var screen = BrowseScreen.browsing(people)
        screen.type("  ", reading: people)
        for entry in ["", "e", "x", "d"] {
            screen.type(entry, reading: people)
            for columns in [0, 1, 5, 20, 40, 80, 120] {
                for rows in [0, 1, 2, 3, 5, 8, 24] {
                    screen.resize(to: ScreenSize(columns: columns, rows: rows))
                    screen.read(people)
                    let text = screen.text(columns, rows)
                    if columns >= 20, rows >= 5, entry.isEmpty { #expect(text.contains("2 selected")) }
                    if columns >= 20, rows >= 5, entry == "e" { #expect(text.contains("Set in 2")) }
                }
            }
            screen.press(.escape, reading: people)
            if entry.isEmpty { screen.type("g  ", reading: people) }
        }
    }

    @Test func `after any keys, the number of marks is the number of selected profiles`() {
        var random = SeededGenerator(printingSeedOf: "selections")
        for _ in 0..<rounds(20) {
            let people = BrowsedPeople(Int.random(in: 0...40, using: &random))
            var screen = BrowseScreen.browsing(people, rows: 60)
            var marked: Set<String> = []
            for _ in 0..<80 {
                let keys: [Key] = [.up, .down, .character(" "), .character(" "), .character("s"), .home, .end]
                let key = random.once(in: 25) ? Key.escape : keys.randomElement(using: &random) ?? .up
                if key == .escape, marked.isEmpty { continue }
                if key == .escape { marked = [] }
                if key == .character(" "), !people.people.isEmpty {
                    marked.formSymmetricDifference([screen.told("selected")])
                }
                screen.press(key, reading: people)
                #expect(screen.told("marked") == String(marked.count))
                let shown = screen.text(80, 60).split(separator: "\n").filter { $0.hasPrefix(" •") }
                #expect(Set(shown.map { String($0.dropFirst(2).prefix { $0 != " " }) }) == marked)
            }
        }
    }
}
