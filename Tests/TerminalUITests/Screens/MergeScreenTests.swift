import ProfileCore
import ProfileForm
import ProfileTesting
import TerminalUI
import TextLayout
import Testing
import Watchdog

/// D5: two profiles on a screen.
@Suite(.watched) struct MergeScreenTests {
    private static let name: FieldName = "name"
    private static let note: FieldName = "note"

    private func screen() -> MergeScreen {
        func field(_ name: FieldName, _ title: String, _ first: String, _ second: String) -> FieldConflict {
            FieldConflict(field: name, title: title, before: nil, theirs: second, yours: first)
        }
        return MergeScreen(
            MergeScreen.Pair(
                names: ("anna", "annabelle"),
                fields: [
                    field(.username, "Username", "anna", "annabelle"), field(Self.name, "Name", "Anna", "ANNA"),
                    field(.phone, "Phone", "1111-2222", "1111-2222"), field(Self.note, "Note", "", "x"),
                ]))
    }

    private func chosen(_ keys: Key...) -> Set<FieldName>? {
        var screen = screen()
        var action: ScreenAction<MergeScreen.Request>?
        for key in keys { action = screen.handle(key) }
        return action?.request?.fieldsOfSecond
    }

    @Test func `D5: fields that differ have both values, and others have one line`() {
        let text = screen().text()
        for line in [
            "Merge two profiles", "› Username  (•) anna", "            ( ) annabelle", "  Phone         1111-2222",
            "  Note      ( ) empty", "            (•) x", "1 all of anna   2 all of annabelle", "Ctrl-N skip",
        ] { #expect(text.contains(line), "\(line): \(text)") }
    }

    @Test func `D5: the value that only one profile has is chosen, until the user chooses otherwise`() {
        #expect(chosen(.enter) == [Self.note])
        #expect(chosen(.character("1"), .enter) == [])
        #expect(chosen(.character("2"), .enter) == [.username, Self.name, Self.note])
        #expect(chosen(.down, .character(" "), .enter) == [Self.name, Self.note])
        #expect(chosen(.down, .down, .down, .right, .enter) == [])
        // The keys of another conflict have no effect.
        #expect(chosen(.character("t"), .character("m"), .enter) == [Self.note])
        var screen = screen()
        #expect(screen.press(.control("n"))?.isSkip ?? false)
        #expect(screen.press(.escape)?.isLeave ?? false)
    }

    @Test func `D5: after a refusal the choices stay, and after a change the user chooses again`() {
        var screen = screen()
        screen.press(.down, .character(" "), .enter)
        #expect(screen.isBusy && screen.text().contains("Merging …"))
        screen.receive(.refused("No: it is too long"))
        #expect(screen.text().contains("No: it is too long"))
        screen.press(.escape)
        #expect(screen.press(.enter)?.request?.fieldsOfSecond == [Self.name, Self.note])
        let pair = MergeScreen.Pair(
            names: ("anna", "bo"),
            fields: [FieldConflict(field: Self.name, title: "Name", before: nil, theirs: "B", yours: "A")])
        screen.receive(.changedMeanwhile(pair, "Changed"))
        #expect(screen.text().contains("Changed"))
        screen.press(.enter)
        #expect(screen.text().contains("Name  (•) A"))
        #expect(screen.press(.enter)?.request?.fieldsOfSecond == [])
    }

    @Test("random keys on random screens neither trap nor draw outside", arguments: [UInt64.random(in: 0 ... .max)])
    func randomKeys(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let keys: [Key] = [
            .up, .down, .left, .tab, .backTab, .enter, .escape, .character(" "), .character("1"), .character("2"),
            .control("n"), .pageDown, .unknown, .paste("x"),
        ]
        var screen = screen()
        for _ in 0..<500 {
            if case .ask? = screen.handle(keys[Int(random.next() % UInt64(keys.count))]) {
                screen.receive(.refused("no"))
            }
            let size = ScreenSize(columns: Int(random.next() % 90), rows: Int(random.next() % 30))
            let lines = screen.frame(size).text.split(separator: "\n", omittingEmptySubsequences: false)
            #expect(lines.allSatisfy { $0.displayWidth <= size.columns }, "seed \(seed)")
        }
    }
}
