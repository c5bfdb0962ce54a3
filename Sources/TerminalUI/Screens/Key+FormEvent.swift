internal import ProfileForm

extension Key {
    /// The form event of the key; nil if the key has no meaning in a form.
    var formEvent: FormEvent? {
        switch self {
        case .character(let character): .type(character)
        case .paste(let text): .paste(text)
        case .backspace: .backspace
        case .delete: .delete
        case .left: .moveLeft
        case .right: .moveRight
        case .home, .control("a"): .moveToStart
        case .end, .control("e"): .moveToEnd
        case .control("u"): .deleteToStart
        case .control("k"): .deleteToEnd
        case .control("w"): .deleteWord
        case .tab, .down: .next
        case .backTab, .up: .previous
        case .enter: .return
        case .pageUp: .previousPage
        case .pageDown: .nextPage
        case .controlHome: .firstField
        case .controlEnd: .lastField
        case .control("s"): .submit
        default: nil
        }
    }

    /// The form events of the key while a list of choices is open. Nil if the open list does not change the meaning of
    /// the key.
    var eventsOfChoosing: [FormEvent]? {
        switch self {
        case .up: [.previousChoice]
        case .down: [.nextChoice]
        case .pageUp: Array(repeating: .previousChoice, count: 6)
        case .pageDown: Array(repeating: .nextChoice, count: 6)
        case .escape: [.closeChoices]
        default: nil
        }
    }
}
