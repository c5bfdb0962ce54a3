package import ProfileCore
package import ProfileForm
internal import TextLayout

/// A ``FormState`` on a screen: its fields with what is wrong and what is accepted, the address search, and the questions
/// before anything is lost.
package struct FormScreen: Screen {
    /// What it asks for.
    package enum Request: Sendable {
        /// To store what was submitted; merged if it holds what was chosen of the changes that were told last.
        case store(ValidProfile, isMerged: Bool)
        /// The addresses that are stored under a postal code.
        case addresses(postalCode: String)
    }

    /// What it is answered.
    package enum Reply: Sendable {
        /// The store takes the profile for invalid or a duplicate: shown in the form.
        case refused([ValidationIssue])
        /// Something else went wrong: shown as an alert.
        case failed(String)
        /// The addresses that were asked for.
        case addresses([String])
        /// Other rules are in force now, by which what is in the form has to be judged.
        case rulesChanged(ProfileValidator)
        /// The profile has changed since it was read, in these fields.
        case changedMeanwhile([FieldConflict])
    }

    package let name: String
    package let title: String
    /// What submitting does, in a word: "register".
    private let submitting: String
    /// Whether there are others to go on with.
    private let canSkip: Bool
    package private(set) var form: FormState
    package var notices: [NoticeScreen]
    package private(set) var isBusy = false
    private var question: Question?
    private var note: ScreenNote?
    /// The field to go back to when storing fails.
    private var lastFocus: FieldName?
    private var isMerged = false

    /// A question over the form.
    fileprivate enum Question {
        case leaving(ChoiceScreen, ScreenAction<Request>)
        case address(ChoiceScreen)
        case conflict(ConflictScreen)
    }

    /// Puts a form on a screen, with the focus in its first field.
    ///
    /// - Parameters:
    ///   - form: The form.
    ///   - name: What the screen is called in its ``Screen/state``.
    ///   - title: What stands above the form.
    ///   - submitting: What submitting does, in a word such as "register".
    ///   - canSkip: Whether there are other profiles to go on with.
    ///   - notices: What is shown first.
    package init(
        _ form: FormState, name: String, title: String, submitting: String, canSkip: Bool = false,
        notices: [NoticeScreen] = []
    ) {
        self.form = form
        self.name = name
        self.title = title
        self.submitting = submitting
        self.canSkip = canSkip
        self.notices = notices
        if form.focus == nil, let first = form.focusOrder.first { self.form.handle(.focus(first)) }
    }

    package mutating func take(_ key: Key) -> ScreenAction<Request>? {
        note = nil
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
        case .control("n") where canSkip: return leave(by: .skip)
        case .control("r"): return focused.flatMap { take(.revealSecret(!$0.isRevealed)) }
        default: return key.formEvent.flatMap { take($0) }
        }
    }

    private var focused: FormField? { form.focus.flatMap { form[$0] } }

    package mutating func take(_ event: FormEvent) -> ScreenAction<Request>? {
        guard question == nil else { return nil }
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
            // Those of no field have no place in the form.
            let others = issues.filter { issue in issue.field.flatMap { form[$0] } == nil }
            if others.isEmpty {
                note = ScreenNote(text: "Not stored: mend what is marked", style: .error)
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
        }
    }

    /// Acts upon what came of an event.
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
        // What was pasted had none.
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

    /// Puts what was chosen into the fields, and submits it.
    private mutating func merge(_ conflict: ConflictScreen) -> ScreenAction<Request>? {
        let focus = form.focus
        isMerged = true
        for (name, text) in conflict.chosenTexts { _ = form.replaceText(of: name, with: text) }
        return follow(form.handle(.submit), from: focus)
    }
}

extension FormScreen {
    package func draw(into frame: inout Frame) {
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
            hint: (keepsSecret ? "left empty it stays as it is; else " : "") + field.hint,
            isSecretShown: isShown, hasChoices: field.picker != nil, list: field.picker.flatMap(ChoiceList.init))
    }

    /// With the caret behind the longest text, and a mark behind that where there are choices.
    private func width(of field: FormField) -> Int {
        // What is looked for may be longer than what there is.
        if let picker = field.picker {
            return min(max(10, picker.choices.map(\.title.displayWidth).max() ?? 0), 1_000) + 3
        }
        // A field that takes anything but ASCII may need two columns a character.
        return (field.rules.longestLength.map { min($0, 1_000) } ?? 1_000) + 1
    }

    private var place: String {
        let order = form.focusOrder
        guard let focus = form.focus, let index = order.firstIndex(of: focus) else { return "" }
        return "field \(index + 1) of \(order.count)"
    }

    /// Whether something is over the form that has keys of its own.
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
    /// Nil where nobody looks for a value.
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
