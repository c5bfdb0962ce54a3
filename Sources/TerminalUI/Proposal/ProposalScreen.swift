package import ProfileCore
package import ProfileForm
internal import TextLayout

/// A table of the columns of a file, with the fields that are proposed for them. The user changes the proposal and
/// accepts it.
///
/// The screen does not change a proposal itself. After a change of the user's choices, it demands a new proposal for
/// all choices. So the table shows only results of the inference.
package struct ProposalScreen: Screen {
    /// The user accepts the proposal that was made from these choices.
    package struct Request: Hashable, Sendable {
        package let choices: ProposalChoices
    }

    /// An answer to the screen.
    package enum Reply: Sendable {
        /// The proposal for the demanded choices.
        case proposed(ProposedTable)
        /// The share of the file that was read for the proposal; nil if it is unknown.
        case progress(Double?)
        /// No proposal can be made from the demanded choices.
        case refused(String)
    }

    /// A list or an entry line that receives the pressed keys.
    enum Dialogue {
        case key(ChoiceScreen, [KeySource?])
        case type(ChoiceScreen, header: String)
        /// The name that the user types for the field of a column.
        case name(String, header: String)
    }

    let title: String
    /// The effect of accepting the proposal, in a word or two.
    private(set) var accepting: String
    /// The sources of keys, other than columns, that the user can choose.
    private let computedKeys: [KeySource]
    private(set) var table: ProposedTable
    package private(set) var choices: ProposalChoices
    /// The choices from which the table was made.
    private var shownChoices: ProposalChoices
    private(set) var progress: Double?
    private(set) var selected = 0
    private(set) var top = 0
    private(set) var note: ScreenNote?
    private(set) var dialogue: Dialogue?
    package var notices: [NoticeScreen] = []
    package private(set) var isBusy = false
    private var size = ScreenSize(columns: 80, rows: 24)

    /// Creates a screen.
    ///
    /// - Parameters:
    ///   - table: The first proposal.
    ///   - choices: The choices from which it was made.
    ///   - title: The title of the screen.
    ///   - accepting: The effect of accepting the proposal, in a word or two.
    ///   - note: A note that is shown until the first key.
    ///   - computedKeys: The sources of keys, other than columns, that the user can choose.
    package init(
        _ table: ProposedTable, choices: ProposalChoices, title: String, accepting: String, note: String? = nil,
        computedKeys: [KeySource] = [.rowNumber, .content]
    ) {
        self.table = table
        self.choices = choices
        shownChoices = choices
        self.title = title
        self.accepting = accepting
        self.computedKeys = computedKeys
        self.note = note.map { ScreenNote(text: $0) }
    }

    var column: ProposedColumn? { table.columns.indices.contains(selected) ? table.columns[selected] : nil }

    /// Whether the table was made from other choices than the current ones, so a new proposal is demanded.
    var isReading: Bool { choices != shownChoices }

    package var demand: ProposalChoices? { isReading ? choices : nil }

    package mutating func receive(_ reply: Reply) {
        switch reply {
        case .proposed(let table):
            self.table = table
            shownChoices = choices
            progress = nil
            select(selected)
        case .progress(let share): progress = share
        case .refused(let text):
            choices = shownChoices
            progress = nil
            notices.append(.error(text))
        }
    }

    package mutating func resize(to size: ScreenSize) {
        self.size = size
        select(selected)
    }

    private var layout: BrowseLayout { layout(size) }

    /// Returns the layout for a size. Like the table of profiles, this table has a line for typing below the title.
    func layout(_ size: ScreenSize) -> BrowseLayout {
        let isTyping = if case .name = dialogue { true } else { false }
        return BrowseLayout(size, isTyping: isTyping)
    }

    private mutating func select(_ index: Int) {
        selected = max(0, min(table.columns.count - 1, index))
        top = max(0, min(top, table.columns.count - layout.rows, selected))
        top = max(top, selected - layout.rows + 1)
    }

    // MARK: Keys

    package mutating func take(_ key: Key) -> ScreenAction<Request>? {
        note = nil
        defer { select(selected) }
        switch dialogue {
        case .key(let list, let sources):
            answer(key, list, { .key($0, sources) }) { $0.choices.key = sources[$1] }
        case .type(let list, let header):
            answer(key, list, { .type($0, header: header) }) {
                $0.choices.types[header] = $1 == 0 ? nil : FieldType.allCases[$1 - 1]
            }
        case .name(let text, let header): typed(key, text, header)
        case nil: return pressed(key)
        }
        return nil
    }

    package mutating func take(_ event: FormEvent) -> ScreenAction<Request>? { nil }

    private mutating func pressed(_ key: Key) -> ScreenAction<Request>? {
        switch key {
        case .up, .backTab: select(selected - 1)
        case .down, .tab: select(selected + 1)
        case .pageUp: select(selected - max(1, layout.rows - 1))
        case .pageDown: select(selected + max(1, layout.rows - 1))
        case .home: select(0)
        case .end: select(table.columns.count - 1)
        case .enter: return accept()
        case .escape, .character("q"): return .leave
        default: if let column { change(column, by: key) }
        }
        return nil
    }

    private mutating func change(_ column: ProposedColumn, by key: Key) {
        let header = column.header
        let isOmitted = choices.omitted.contains(header)
        switch key {
        case .character("x"), .character(" "), .delete:
            guard column.field != nil || isOmitted else { return note(isImpossibleFor: column) }
            choices.toggleOmission(of: header)
        case .character("+"), .character("="), .character("-"), .character("k"), .character("t"), .character("r"),
            .character("v"):
            guard column.field != nil, !isOmitted else { return note(isImpossibleFor: column) }
            changeField(column, by: key)
        default: break
        }
    }

    private mutating func changeField(_ column: ProposedColumn, by key: Key) {
        let header = column.header
        switch key {
        case .character("-"): choices.loosen(header)
        case .character("v"):
            let values = column.unusual.joined(separator: "\n")
            notices.append(
                .about(
                    "Unusual values of \(header.visible)",
                    values.isEmpty ? "There are none, or they must not be shown." : values))
        case .character("k") where !column.isSecret: askForKey(header)
        case .character("t") where !column.isSecret: askForType(column)
        case .character("r") where !column.isSecret:
            dialogue = .name(choices.names[header] ?? column.field ?? "", header: header)
        case .character("+"), .character("="): choices.tighten(header)
        default: note = ScreenNote(text: "A column of secrets keeps its name and type, and is no key")
        }
    }

    private mutating func note(isImpossibleFor column: ProposedColumn) {
        let isChosen = choices.omitted.contains(column.header)
        note = ScreenNote(
            text: isChosen ? "Take the column in first: x" : column.doubts.first ?? "The column cannot be a field")
    }

    private mutating func accept() -> ScreenAction<Request>? {
        if isReading {
            note = ScreenNote(text: "Still reading: press it again")
        } else if table.key == nil {
            note = ScreenNote(text: "Choose what identifies a row first: k", style: .error)
        } else {
            isBusy = true
            return .ask(Request(choices: choices))
        }
        return nil
    }

    // MARK: Dialogues

    /// Passes a key to a list. When the user picks an option, `choose` changes the choices.
    private mutating func answer(
        _ key: Key, _ list: ChoiceScreen, _ dialogue: (ChoiceScreen) -> Dialogue,
        _ choose: (inout ProposalScreen, Int) -> Void
    ) {
        var list = list
        let outcome = list.take(key)
        self.dialogue = outcome == nil ? dialogue(list) : nil
        if case .picked(let index) = outcome { choose(&self, index) }
    }

    private mutating func askForKey(_ header: String) {
        let present = table.keyHeaders
        var options: [(String, KeySource?)] = [("\(header.visible) alone", .columns([header]))]
        if present.contains(header), present.count > 1 {
            let rest = present.filter { $0 != header }
            options.append(("\(Self.list(rest)), without \(header.visible)", .columns(rest)))
        } else if !present.isEmpty, !present.contains(header) {
            options.append(("\(Self.list(present)) and \(header.visible) together", .columns(present + [header])))
        }
        for source in computedKeys {
            options.append((source == .rowNumber ? "the number of the row" : "the content of the whole row", source))
        }
        options.append(("as inferred from the file", nil))
        let index = options.firstIndex { $0.1 == choices.key } ?? 0
        dialogue = .key(
            ChoiceScreen(title: "What identifies a row?", options: options.map(\.0), selected: index),
            options.map(\.1))
    }

    private static func list(_ headers: [String]) -> String { headers.map(\.visible).joined(separator: " and ") }

    private mutating func askForType(_ column: ProposedColumn) {
        let types = FieldType.allCases
        let chosen = choices.types[column.header]
        let index = (chosen ?? column.fieldType).flatMap(types.firstIndex).map { $0 + 1 } ?? 0
        dialogue = .type(
            ChoiceScreen(
                title: "Type of \(column.header.visible)",
                options: ["as inferred from the file"] + types.map { $0 == .string ? "text" : $0.rawValue },
                selected: index),
            header: column.header)
    }

    private mutating func typed(_ key: Key, _ text: String, _ header: String) {
        var text = text
        switch key {
        case .character(let character): text.append(character)
        case .paste(let pasted): text += pasted.prefix { !$0.isNewline }
        case .backspace: text = String(text.dropLast())
        case .control("u"): text = ""
        case .escape: return dialogue = nil
        case .enter, .tab:
            dialogue = nil
            guard text != column?.field else { return }
            // Without a name, the field is named after the column again.
            choices.names[header] = text.isEmpty ? nil : text
            return
        default: break
        }
        dialogue = .name(text, header: header)
    }
}
