package import ProfileCore
package import ProfileForm
internal import TextLayout

/// A screen with a form. It shows the fields with their issues and hints, offers the address search, and asks the user
/// before it discards input.
package struct FormScreen: Screen {
    /// A request of the screen.
    package enum Request: Sendable {
        /// Store the submitted profile. `isMerged` is true if the profile contains the user's choices from the last
        /// reported conflict.
        case store(ValidProfile, isMerged: Bool)
        /// Find the addresses that are stored under a postal code.
        case addresses(postalCode: String)
        /// Read the history of the stored profile.
        case history
    }

    /// The answer to a request.
    package enum Reply: Sendable {
        /// The store refused the profile as invalid or duplicate. The form shows the issues.
        case refused([ValidationIssue])
        /// The request failed for another reason, which the screen shows as an alert.
        case failed(String)
        /// The requested addresses.
        case addresses([String])
        /// The rules in force have changed. The form must be validated again.
        case rulesChanged(ProfileValidator)
        /// These fields of the stored profile have changed since the profile was read.
        case changedMeanwhile([FieldConflict])
        /// A text to read, such as the history of the profile.
        case text(TextScreen)
        /// A note about a request that has changed nothing.
        case noted(String)
    }

    package let name: String
    package let title: String
    /// The name of the submit action, such as "register".
    private let submitting: String
    /// Whether the user can skip to another profile.
    private let canSkip: Bool
    /// Whether the form changes a stored profile, which has a history.
    private let hasHistory: Bool
    package private(set) var form: FormState
    package var notices: [NoticeScreen]
    package private(set) var isBusy = false
    private var question: Question?
    /// A text that is shown in place of the form.
    private var text: TextScreen?
    private var size = ScreenSize(columns: 80, rows: 24)
    private var note: ScreenNote?
    /// The field that gets the focus again if storing fails.
    private var lastFocus: FieldName?
    private var isMerged = false

    /// A question over the form.
    fileprivate enum Question {
        case leaving(ChoiceScreen, ScreenAction<Request>)
        case address(ChoiceScreen)
        case conflict(ConflictScreen)
    }

    /// Creates a screen for a form. If no field has the focus, the first one gets it.
    ///
    /// - Parameters:
    ///   - form: The form.
    ///   - name: The name of the screen in its ``Screen/state``.
    ///   - title: The title above the form.
    ///   - submitting: The name of the submit action, such as "register".
    ///   - canSkip: Whether the user can skip to another profile.
    ///   - hasHistory: Whether the form changes a stored profile, which has a history.
    ///   - notices: The notices to show first.
    package init(
        _ form: FormState, name: String, title: String, submitting: String, canSkip: Bool = false,
        hasHistory: Bool = false, notices: [NoticeScreen] = []
    ) {
        self.form = form
        self.name = name
        self.title = title
        self.submitting = submitting
        self.canSkip = canSkip
        self.hasHistory = hasHistory
        self.notices = notices
        if form.focus == nil, let first = form.focusOrder.first { self.form.handle(.focus(first)) }
    }

    package mutating func take(_ key: Key) -> ScreenAction<Request>? {
        note = nil
        if var text {
            self.text = text.isClosed(by: key, on: size) ? nil : text
            return nil
        }
        switch question {
        case .leaving(var choice, let action):
            let outcome = choice.take(key)
            question = outcome == nil ? .leaving(choice, action) : nil
            return outcome == .picked(1) ? action : nil
        case .address(var choice):
            let outcome = choice.take(key)
            question = outcome == nil ? .address(choice) : nil
            if case .picked(let index) = outcome { fillInAddress(choice.options[index]) }
            return nil
        case .conflict(var conflict):
            let outcome = conflict.take(key)
            question = outcome == nil ? .conflict(conflict) : nil
            return outcome == .chosen ? merge(conflict) : nil
        case nil: break
        }
        if focused?.isChoosing == true, let events = key.eventsOfChoosing {
            events.forEach { form.handle($0) }
            return nil
        }
        switch key {
        case .escape: return leave(by: .leave)
        case .control("f"): return search()
        case .control("o") where hasHistory:
            isBusy = true
            return .ask(.history)
        case .control("n") where canSkip: return leave(by: .skip)
        case .control("r"): return focused.flatMap { take(.revealSecret(!$0.isRevealed)) }
        default: return key.formEvent.flatMap { take($0) }
        }
    }

    private var focused: FormField? { form.focus.flatMap { form[$0] } }

    package mutating func take(_ event: FormEvent) -> ScreenAction<Request>? {
        guard question == nil, text == nil else { return nil }
        let focus = form.focus
        return follow(form.handle(event), from: focus)
    }

    package mutating func receive(_ reply: Reply) {
        isBusy = false
        note = nil
        if form.focus == nil, let field = lastFocus ?? form.focusOrder.first { form.handle(.focus(field)) }
        switch reply {
        case .refused(let issues):
            form.report(issues)
            // If an issue belongs to no field of the form, an alert shows it.
            let others = issues.filter { issue in issue.field.flatMap { form[$0] } == nil }
            if others.isEmpty {
                note = ScreenNote(text: "Not stored: correct the marked fields", style: .error)
            } else {
                notices.append(.error(others.map(form.schema.message(for:)).joined(separator: "\n")))
            }
        case .failed(let text): notices.append(.error(text))
        case .addresses(let addresses): offer(addresses)
        case .rulesChanged(let validator):
            form = form.under(validator)
            note = ScreenNote(text: "Not stored yet: the rules have changed meanwhile", style: .error)
        case .changedMeanwhile(let conflicts):
            isMerged = false
            question = .conflict(ConflictScreen(conflicts))
        case .text(let text): self.text = text
        case .noted(let text): note = ScreenNote(text: text)
        }
    }

    package mutating func resize(to size: ScreenSize) { self.size = size }

    /// Performs the effects of a form event, such as storing the submitted profile.
    private mutating func follow(_ effects: [FormEffect], from focus: FieldName?) -> ScreenAction<Request>? {
        for effect in effects {
            switch effect {
            case .cut(let name): note = ScreenNote(text: "Cut: " + limit(of: name), style: .error)
            case .refused(let name): note = ScreenNote(text: limit(of: name), style: .error)
            case .rejected(let failure):
                let count = Set(failure.issues.map(\.field)).count
                note = ScreenNote(text: "Not stored yet: \(count) field\(count == 1 ? "" : "s") to mend", style: .error)
            case .submitted(let profile):
                lastFocus = focus
                isBusy = true
                note = ScreenNote(text: "Storing …")
                return .ask(.store(profile, isMerged: isMerged))
            default: break
            }
        }
        return nil
    }

    private func limit(of name: FieldName) -> String {
        let field = form[name]
        if let field, field.picker != nil { return "\(field.rules.title) takes one of its values" }
        guard let field, let most = field.rules.longestTypedLength else { return "There is no room for more" }
        let rules = field.rules
        // The field has room for more text. So the pasted text was refused for another reason: it contained no digits.
        if rules.mask != nil, field.hasRoom { return "\(rules.title) takes digits only" }
        return
            "\(rules.title) takes \(most) \(rules.mask == nil ? "character" : "digit")\(most == 1 ? "" : "s") at most"
    }

    private mutating func leave(by action: ScreenAction<Request>) -> ScreenAction<Request>? {
        guard form.isChanged else { return action }
        question = .leaving(
            ChoiceScreen(
                title: "Leave?", text: "What you have typed is not stored.",
                options: ["Go on typing", "Leave, and lose it"]),
            action)
        return nil
    }

    private mutating func search() -> ScreenAction<Request>? {
        guard form.isAddressSearchAvailable, let postalCode else {
            if let field = form.field(of: .postalCode), form.field(of: .streetAddress) != nil {
                note = ScreenNote(text: "First fill in \(field.rules.title)")
            }
            return nil
        }
        isBusy = true
        return .ask(.addresses(postalCode: postalCode))
    }

    private var postalCode: String? { form.field(of: .postalCode)?.text }

    private mutating func offer(_ addresses: [String]) {
        guard !addresses.isEmpty else {
            note = ScreenNote(text: "No address is stored under \(postalCode ?? "") yet")
            return
        }
        question = .address(ChoiceScreen(title: "Addresses under \(postalCode ?? "")", options: addresses))
    }

    private mutating func fillInAddress(_ address: String) {
        guard let field = form.field(of: .streetAddress) else { return }
        form.handle(.focus(field.name))
        _ = follow(form.handle(.autoFill(address)), from: field.name)
    }

    /// Puts the chosen texts into the fields and submits the form.
    private mutating func merge(_ conflict: ConflictScreen) -> ScreenAction<Request>? {
        let focus = form.focus
        isMerged = true
        for (name, text) in conflict.chosenTexts { _ = form.replaceText(of: name, with: text) }
        return follow(form.handle(.submit), from: focus)
    }
}

extension FormScreen {
    package func draw(into frame: inout Frame) {
        if let text { return text.draw(into: &frame) }
        let rows = form.fields.filter { !$0.isHidden }.map { row(of: $0) }
        FieldPage(
            title: title, aside: rows.contains { $0.isRequired } ? "* required" : "", place: place, rows: rows,
            note: isCovered ? nil : note,
            keys: isCovered ? KeyLegend([]) : keys
        ).draw(into: &frame)
        switch question {
        case .leaving(let choice, _), .address(let choice): choice.draw(into: &frame)
        case .conflict(let conflict): conflict.draw(into: &frame)
        case nil: break
        }
    }

    private func row(of field: FormField) -> FieldRow {
        let keepsSecret = field.rules.isSecret && form.hasPassword
        let isShown = field.isRevealed && !isCovered
        return FieldRow(
            label: field.rules.title, text: isShown || !field.isRevealed ? field.visibleText : field.text,
            caret: field.visibleCaret, width: width(of: field),
            isRequired: field.rules.isRequired && !keepsSecret, isEnabled: field.isEnabled,
            hasFocus: field.name == form.focus, isRight: !field.isEmpty && field.isValid && field.issue == nil,
            error: field.message,
            hint: (keepsSecret ? "leave empty to keep it; otherwise " : "") + field.hint,
            isSecretShown: isShown, hasChoices: field.picker != nil, list: field.picker.flatMap(ChoiceList.init))
    }

    /// Returns the width that the longest text and the caret after it need. If the field has choices, the width
    /// includes a mark.
    private func width(of field: FormField) -> Int {
        // The user may type a search text that is longer than every title.
        if let picker = field.picker {
            return min(max(10, picker.choices.map(\.title.displayWidth).max() ?? 0), 1_000) + 3
        }
        // Each character is counted as one column. A text with wider characters scrolls in its box.
        return (field.rules.longestLength.map { min($0, 1_000) } ?? 1_000) + 1
    }

    private var place: String {
        let order = form.focusOrder
        guard let focus = form.focus, let index = order.firstIndex(of: focus) else { return "" }
        return "field \(index + 1) of \(order.count)"
    }

    /// Whether a notice or a question covers the form.
    private var isCovered: Bool { question != nil || !notices.isEmpty }

    private var keys: KeyLegend {
        let isLast = form.focus != nil && form.focus == form.focusOrder.last
        guard let field = focused, !field.isChoosing else {
            return KeyLegend([.pick, .choose, .back])
        }
        return KeyLegend(
            [
                .init("Return", isLast ? submitting : "next", rank: 0),
                .init("↑↓", "move", rank: 4),
                field.picker == nil ? nil : .init("←→", "choose", rank: 2),
                field.picker == nil ? nil : .init("Space", "list", rank: 3),
                field.rules.isSecret ? .init("Ctrl-R", field.isRevealed ? "hide" : "show", rank: 2) : nil,
                form.isAddressSearchAvailable ? .init("Ctrl-F", "addresses", rank: 2) : nil,
                isLast ? nil : .init("Ctrl-S", submitting, rank: 3),
                hasHistory ? .init("Ctrl-O", "history", rank: 6) : nil,
                canSkip ? .init("Ctrl-N", "skip", rank: 2) : nil,
                form.fields.count > FormState.pageLength ? .init("PgUp PgDn", "page", rank: 5) : nil,
                .init("Esc", "leave", rank: 1),
            ].compactMap { $0 })
    }

    package var details: [JSONMember] {
        let fields = form.fields.map { field -> JSONValue in
            [
                "name": .string(field.name.text), "text": .string(field.text), "caret": .number(field.caret),
                "issue": field.issue.map { .string($0.code.rawValue) } ?? .null,
                "message": field.message.map(JSONValue.string) ?? .null, "is_valid": .bool(field.isValid),
            ]
        }
        return [
            JSONMember("screen", .string(name)), JSONMember("title", .string(title)),
            JSONMember("focus", form.focus.map { .string($0.text) } ?? .null), JSONMember("fields", .array(fields)),
            JSONMember("question", question?.json ?? .null),
            JSONMember("text", text.map { .string($0.title) } ?? .null),
            JSONMember("note", note.map { .string($0.text) } ?? .null),
            JSONMember("search_available", .bool(form.isAddressSearchAvailable)),
        ]
    }
}

extension FormScreen.Question {
    fileprivate var json: JSONValue {
        switch self {
        case .leaving(let choice, _), .address(let choice): choice.json
        case .conflict(let conflict): conflict.json
        }
    }
}

extension ChoiceList {
    /// Returns nil if the picker's list is closed.
    fileprivate init?(_ picker: FieldPicker) {
        guard picker.isOpen else { return nil }
        titles = picker.matches.map { choice in
            if choice.value.isEmpty { return "(empty)" }
            return choice.isListed ? choice.title : choice.title + " (no longer a choice)"
        }
        selected = picker.selection
        total = picker.choices.count
    }
}
