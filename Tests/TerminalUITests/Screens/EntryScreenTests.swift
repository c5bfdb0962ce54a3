import ProfileCore
import TerminalUI
import Testing
import Watchdog

/// The screen for passcodes and logins.
@Suite(.watched) struct EntryScreenTests {
    private func passcodes(_ count: Int) -> EntryScreen {
        let names = ["present", "new", "repeated"].suffix(count)
        return EntryScreen(
            names.map { EntryScreen.Entry(name: $0, label: $0, hint: $0 == "new" ? "8–128 characters" : "") },
            name: "passcode", title: "Edit Pass Code", subject: "anna", submitting: "edit")
    }

    private func login(_ username: String = "") -> EntryScreen {
        EntryScreen(
            [
                .init(name: "username", label: "Username", isSecret: false, text: username),
                .init(name: "password", label: "Password"),
            ],
            name: "login", title: "Log in", submitting: "log in")
    }

    @Test("P4: as many secrets are asked for as there are entries", arguments: 1...3)
    func entries(count: Int) {
        let text = passcodes(count).text()
        #expect(text.contains("Edit Pass Code") && text.contains("anna"))
        #expect(text.count(of: "[ ") == count)
    }

    @Test func `secrets are dots on the screen and in the state, and come out whole`() {
        var screen = passcodes(3)
        for text in ["marsvenus", "morning한", "morning한"] {
            screen.type(text)
            #expect(!screen.text().contains(text) && !screen.state.text().contains(text))
            let action = screen.press(.enter)
            guard let request = action?.request else { continue }
            #expect(request["present"] == Secret("marsvenus"))
            #expect(request["new"] == Secret("morning한"))
            #expect(request["repeated"] == Secret("morning한"))
            #expect(request["other"].isEmpty)
        }
        #expect(screen.isBusy)
        #expect(screen.text().contains("•••••••••"))
        #expect(screen.text().contains("Checking …"))
    }

    @Test func `P12: only a new secret can be shown`() {
        var screen = EntryScreen(
            [.init(name: "present", label: "Passcode"), .init(name: "new", label: "New", isNew: true)],
            name: "passcode", title: "Edit Pass Code", submitting: "edit")
        screen.type("marsvenus")
        screen.press(.control("r"))
        #expect(!screen.text().contains("marsvenus") && !screen.text().contains("Ctrl-R"))
        screen.press(.enter)
        screen.type("jupiter8")
        screen.press(.control("r"))
        #expect(screen.text().contains("[jupiter8") && screen.text().contains("Ctrl-R hide"))
        #expect(!screen.state.text().contains("jupiter8"))
        screen.press(.backTab, .tab)
        #expect(!screen.text().contains("jupiter8"))
        screen.press(.control("r"), .enter)
        #expect(screen.isBusy && !screen.text().contains("jupiter8"))
    }

    @Test func `a refused entry causes an alert, is emptied, and is asked for again`() {
        var screen = passcodes(2)
        screen.type("appleworks1")
        screen.press(.enter)
        screen.type("appleworks2")
        screen.press(.enter)
        screen.receive(.failed("Pass codes do not match", emptying: ["new", "repeated"]))
        #expect(screen.text().contains("Error") && screen.text().contains("Pass codes do not match"))
        screen.press(.escape)
        #expect(!screen.text().contains("•"))
        screen.type("x")
        #expect(screen.state.text().contains(#""focus":"new""#))
    }

    @Test func `P9: throttling counts down, second by second, and lets nothing through before its end`() throws {
        let start = ContinuousClock.now
        var screen = passcodes(1)
        screen.advance(to: start)
        screen.type("parislondon1")
        #expect(screen.press(.enter)?.request != nil)
        screen.receive(.throttled(milliseconds: 2_500))
        #expect(screen.text().contains("try again in 3 s"))
        #expect(screen.nextChange == start + .milliseconds(500))
        screen.advance(to: start + .milliseconds(500))
        #expect(screen.text().contains("try again in 2 s"))
        #expect(screen.press(.enter) == nil)
        screen.advance(to: start + .milliseconds(1_500))
        #expect(screen.text().contains("try again in 1 s"))
        #expect(screen.nextChange == start + .milliseconds(2_500))
        screen.advance(to: start + .milliseconds(2_500))
        #expect(screen.text().contains("You may try again"))
        #expect(screen.nextChange == nil)
        // The typed text is still there, because it has not been checked.
        #expect(screen.press(.enter)?.request?["repeated"] == Secret("parislondon1"))
    }

    @Test func `minutes are counted as minutes`() {
        var screen = passcodes(1)
        screen.advance(to: .now)
        screen.receive(.throttled(milliseconds: 900_000))
        #expect(screen.text().contains("try again in 15 min 0 s"))
    }

    @Test func `a login asks for the password where the username is given`() {
        #expect(login().state.text().contains(#""focus":"username""#))
        #expect(login("anna").state.text().contains(#""focus":"password""#))
        #expect(login("anna").text().contains("[anna"))
    }

    @Test func `Esc leaves at once unless something was typed`() {
        var screen = login("anna")
        #expect(screen.press(.escape)?.isLeave == true)
        screen.type("a")
        #expect(screen.press(.escape) == nil)
        screen.press(.down)
        #expect(screen.press(.enter)?.isLeave == true)
    }

    @Test func `keys edit an entry`() {
        var screen = login()
        screen.type("ann bob")
        screen.press(.control("w"), .paste("e\u{301}x\n"), .left, .backspace, .home, .delete, .character("A"))
        #expect(screen.text().contains("[Ann x "))
        screen.press(.control("k"))
        #expect(screen.text().contains("[A "))
        screen.press(.control("u"), .control("e"))
        #expect(screen.text().contains("[ "))
        screen.press(.tab, .tab, .backTab)
        #expect(screen.state.text().contains(#""focus":"password""#))
        screen.press(.paste(String(repeating: "x", count: 5_000)))
        #expect(screen.text().contains("There is no room for more"))
    }
}

extension String {
    fileprivate func count(of part: String) -> Int {
        split(separator: part, omittingEmptySubsequences: false).count - 1
    }
}
