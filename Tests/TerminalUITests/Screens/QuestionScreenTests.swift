import TerminalUI
import Testing
import Watchdog

/// A question with a screen of its own.
@Suite(.watched) struct QuestionScreenTests {
    @Test func `the first answer of a question is selected, and Esc gives it`() {
        let choice = ChoiceScreen(title: "Town", text: "2 more rows have x", options: ["No", "Yes"])
        func answer(_ keys: Key...) -> Int? {
            var screen = QuestionScreen(choice, working: "Storing …")
            var action: ScreenAction<QuestionScreen.Request>?
            for key in keys { action = screen.handle(key) }
            #expect(screen.isBusy == (action != nil))
            return action?.request?.answer
        }
        #expect(answer(.enter) == 0)
        #expect(answer(.down, .escape) == 0)
        #expect(answer(.down, .enter) == 1)
        #expect(answer(.character("y"), .character("x")) == nil)
    }
}
