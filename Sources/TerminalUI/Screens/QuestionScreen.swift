package import ProfileCore
package import ProfileForm

/// A screen with one question, whose answer takes effect at once. Esc gives the first answer, which should change
/// nothing.
package struct QuestionScreen: Screen {
    /// The position of the answer that the user has picked.
    package struct Request: Hashable, Sendable {
        package let answer: Int
    }

    package var notices: [NoticeScreen] = []
    package private(set) var isBusy = false
    private var choice: ChoiceScreen
    private let working: String

    /// Creates a screen.
    ///
    /// - Parameters:
    ///   - choice: The question and its answers. The first answer is selected. It should be harmless, because a key that the
    ///     user typed before the question appeared may choose it.
    ///   - working: The note that is shown while the answer takes effect.
    package init(_ choice: ChoiceScreen, working: String) {
        self.choice = choice
        self.working = working
    }

    package mutating func take(_ key: Key) -> ScreenAction<Request>? {
        switch choice.take(key) {
        case nil: return nil
        case .closed: return pick(0)
        case .picked(let answer): return pick(answer)
        }
    }

    private mutating func pick(_ answer: Int) -> ScreenAction<Request> {
        isBusy = true
        return .ask(Request(answer: answer))
    }

    package mutating func take(_ event: FormEvent) -> ScreenAction<Request>? { nil }

    package mutating func receive(_ reply: Never) {}

    package func draw(into frame: inout Frame) {
        choice.draw(into: &frame)
        if isBusy { frame.drawWork(working) }
    }

    package var details: [JSONMember] {
        [JSONMember("screen", "question"), JSONMember("question", choice.json)]
    }
}
