package import ProfileCore
package import ProfileForm

/// A screen with a title and a few entries, for passcodes and logins. Most entries are secret.
///
/// The typed texts are kept in memory that is zeroed after use; see ``EditedText``.
package struct EntryScreen: Screen {
    /// The texts of all entries, by name.
    package struct Request: Sendable {
        private let texts: [String: Secret]

        fileprivate init(_ entries: [Entry]) {
            texts = Dictionary(entries.map { ($0.name, $0.text.content) }) { first, _ in first }
        }

        /// The text of an entry; empty if there is no entry of that name.
        package subscript(name: String) -> Secret { texts[name] ?? Secret("") }
    }

    /// The answer to the request.
    package enum Reply: Sendable {
        /// The entries are refused. The screen shows an alert, empties some entries, and moves the focus to the first
        /// emptied entry.
        case failed(String, emptying: [String])
        /// The entries were not checked. No entries will be checked until this time has passed.
        case throttled(milliseconds: Int64)
    }

    /// One entry.
    package struct Entry: Sendable {
        package let name: String
        let label: String
        let hint: String
        let isSecret: Bool
        /// Whether this is a new secret, which the user may reveal while typing.
        let isNew: Bool
        fileprivate(set) var text: EditedText
        fileprivate(set) var isRevealed = false

        package init(
            name: String, label: String, hint: String = "", isSecret: Bool = true, isNew: Bool = false,
            text: String = ""
        ) {
            self.name = name
            self.label = label
            self.hint = hint
            self.isSecret = isSecret
            self.isNew = isNew
            self.text = EditedText(text)
        }
    }

    package let name: String
    package let title: String
    /// The user to whom the entries belong, shown beside the title.
    private let subject: String
    /// The name of the submit action.
    private let submitting: String
    private let initialTexts: [Secret]
    package private(set) var entries: [Entry]
    package var notices: [NoticeScreen]
    package private(set) var isBusy = false
    private var focus: Int {
        didSet { if focus != oldValue { hideSecrets() } }
    }
    private var note: ScreenNote?
    private var question: ChoiceScreen?
    private var now: ContinuousClock.Instant?
    /// The user cannot submit the entries before this time.
    private var blockedUntil: ContinuousClock.Instant?

    /// Creates a screen with at least one entry.
    ///
    /// - Parameters:
    ///   - entries: The entries. The first empty entry gets the focus.
    ///   - name: The name of the screen in its ``Screen/state``.
    ///   - title: The title.
    ///   - subject: The user to whom the entries belong, if known.
    ///   - submitting: The name of the submit action in one or two words, such as "log in".
    ///   - notices: The notices to show first.
    package init(
        _ entries: [Entry], name: String, title: String, subject: String = "", submitting: String,
        notices: [NoticeScreen] = []
    ) {
        self.entries = entries
        self.name = name
        self.title = title
        self.subject = subject
        self.submitting = submitting
        self.notices = notices
        initialTexts = entries.map(\.text.content)
        focus = entries.firstIndex { $0.text.content.isEmpty } ?? 0
    }

    package mutating func take(_ key: Key) -> ScreenAction<Request>? {
        note = nil
        if var choice = question {
            let outcome = choice.take(key)
            question = outcome == nil ? choice : nil
            return outcome == .picked(1) ? .leave : nil
        }
        switch key {
        case .escape: return leave()
        case .control("r") where entries.indices.contains(focus): return take(.revealSecret(!entries[focus].isRevealed))
        default: return key.formEvent.flatMap { take($0) }
        }
    }

    private mutating func hideSecrets() {
        for index in entries.indices { entries[index].isRevealed = false }
    }

    package mutating func take(_ event: FormEvent) -> ScreenAction<Request>? {
        guard question == nil, entries.indices.contains(focus) else { return nil }
        switch event {
        case .focus(let field): focus = entries.firstIndex { $0.name == field.text } ?? focus
        case .next: focus = (focus + 1) % entries.count
        case .previous: focus = (focus + entries.count - 1) % entries.count
        case .firstField, .previousPage: focus = 0
        case .lastField, .nextPage: focus = entries.count - 1
        case .revealSecret(let isRevealed): entries[focus].isRevealed = isRevealed && entries[focus].isNew
        case .return where focus < entries.count - 1: focus += 1
        case .return, .submit: return submit()
        default:
            if !entries[focus].text.handle(event) {
                note = ScreenNote(text: "There is no room for more", style: .error)
            }
        }
        return nil
    }

    package mutating func receive(_ reply: Reply) {
        isBusy = false
        note = nil
        switch reply {
        case .failed(let text, let emptied):
            notices.append(.error(text))
            for index in entries.indices where emptied.contains(entries[index].name) {
                entries[index].text = EditedText()
            }
            focus = entries.firstIndex { emptied.contains($0.name) } ?? focus
        case .throttled(let milliseconds):
            blockedUntil = (now ?? .now) + .milliseconds(max(0, min(milliseconds, 86_400_000)))
        }
    }

    package mutating func advance(to now: ContinuousClock.Instant) {
        self.now = now
        if let end = blockedUntil, end <= now {
            blockedUntil = nil
            note = ScreenNote(text: "You may try again", style: .success)
        }
    }

    /// The time at which the countdown shows the next second.
    package var nextChange: ContinuousClock.Instant? {
        guard let blockedUntil else { return nil }
        return blockedUntil - .seconds(max(0, secondsLeft - 1))
    }

    private var secondsLeft: Int64 {
        guard let now, let blockedUntil, blockedUntil > now else { return 0 }
        let (seconds, rest) = (blockedUntil - now).components
        return seconds + (rest > 0 ? 1 : 0)
    }

    private mutating func submit() -> ScreenAction<Request>? {
        guard blockedUntil == nil else { return nil }
        hideSecrets()
        isBusy = true
        note = ScreenNote(text: "Checking …")
        return .ask(Request(entries))
    }

    private mutating func leave() -> ScreenAction<Request>? {
        guard entries.map(\.text.content) != initialTexts else { return .leave }
        question = ChoiceScreen(
            title: "Leave?", text: "What you have typed is not used.", options: ["Go on typing", "Leave, and lose it"])
        return nil
    }
}

extension EntryScreen {
    package func draw(into frame: inout Frame) {
        // A notice or a question that covers the screen has its own keys.
        let isCovered = question != nil || !notices.isEmpty
        let rows = entries.enumerated().map { index, entry in
            let isRevealed = entry.isRevealed && !isCovered
            return FieldRow(
                label: entry.label, text: isRevealed ? entry.plainText : entry.shown, caret: entry.text.caretCount,
                width: 40, hasFocus: index == focus, hint: entry.hint, isSecretShown: isRevealed)
        }
        let countdown = blockedUntil.map { _ in
            ScreenNote(text: "Too many failed attempts: try again in \(Self.words(secondsLeft))", style: .error)
        }
        FieldPage(
            title: title, aside: subject, rows: rows, note: countdown ?? (isCovered ? nil : note),
            keys: isCovered ? KeyLegend([]) : keys
        ).draw(into: &frame)
        question?.draw(into: &frame)
    }

    private static func words(_ seconds: Int64) -> String {
        seconds < 60 ? "\(seconds) s" : "\(seconds / 60) min \(seconds % 60) s"
    }

    private var keys: KeyLegend {
        let isLast = focus == entries.count - 1
        let focused = entries.indices.contains(focus) ? entries[focus] : nil
        return KeyLegend(
            [
                .init("Return", isLast ? submitting : "next", rank: 0),
                entries.count > 1 ? .init("↑↓", "move", rank: 3) : nil,
                focused?.isNew == true ? .init("Ctrl-R", focused?.isRevealed == true ? "hide" : "show", rank: 2) : nil,
                .init("Esc", "leave", rank: 1),
            ].compactMap { $0 })
    }

    package var details: [JSONMember] {
        let fields = entries.map { entry -> JSONValue in
            [
                "name": .string(entry.name), "text": .string(entry.shown), "caret": .number(entry.text.caretCount),
                "issue": .null, "message": .null, "is_valid": .bool(!entry.text.content.isEmpty),
            ]
        }
        return [
            JSONMember("screen", .string(name)), JSONMember("title", .string(title)),
            JSONMember("focus", entries.indices.contains(focus) ? .string(entries[focus].name) : .null),
            JSONMember("fields", .array(fields)), JSONMember("question", question?.json ?? .null),
            JSONMember("note", note.map { .string($0.text) } ?? .null),
            JSONMember("seconds_to_wait", .number(secondsLeft)), JSONMember("search_available", false),
        ]
    }
}

extension EntryScreen.Entry {
    /// The shown text, with a dot for each character of a secret.
    fileprivate var shown: String {
        isSecret ? String(repeating: "•", count: text.count) : plainText
    }

    fileprivate var plainText: String {
        let bytes = text.content.bytes
        return bytes.withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) }
    }
}

extension EditedText {
    /// The maximum length of an entry in bytes. Typed or pasted text that does not fit is not inserted.
    private static let longest = 4_096

    /// Edits the text.
    ///
    /// - Returns: Whether there was room for the typed text.
    fileprivate mutating func handle(_ event: FormEvent) -> Bool {
        switch event {
        case .type(let character): return insert(String(character))
        case .paste(let text): return insert(text.last?.isNewline == true ? String(text.dropLast()) : text)
        case .autoFill(let text):
            self = EditedText()
            return insert(text)
        case .backspace: remove(previousCharacter)
        case .delete: remove(nextCharacter)
        case .deleteToStart: remove(0..<caret)
        case .deleteToEnd: remove(caret..<content.count)
        case .deleteWord: remove(previousWord)
        case .moveLeft: moveCaret(to: previousCharacter.lowerBound)
        case .moveRight: moveCaret(to: nextCharacter.upperBound)
        case .moveToStart: moveCaret(to: 0)
        case .moveToEnd: moveCaret(to: content.count)
        case .moveCaret, .openChoices, .closeChoices, .nextChoice, .previousChoice, .choose, .revealSecret, .focus,
            .endEditing, .next, .previous, .nextPage, .previousPage, .firstField, .lastField, .return, .submit:
            break
        }
        return true
    }

    private mutating func insert(_ text: String) -> Bool {
        guard content.count + text.utf8.count <= Self.longest else { return false }
        self = replacing(caret..<caret, with: text.utf8Span.span)
        return true
    }

    private mutating func remove(_ range: Range<Int>) { self = replacing(range, with: Span()) }
}
