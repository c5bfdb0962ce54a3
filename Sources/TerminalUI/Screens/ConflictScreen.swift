package import ProfileCore
internal import TextLayout

/// A field whose stored value has changed while the user edited the profile, or a field of two profiles that are merged.
/// Each text is in the format that a form shows. An empty text means that there is no value.
package struct FieldConflict: Hashable, Sendable {
    package let field: FieldName
    package let title: String
    /// The text that was stored when the user began to edit. Nil for two profiles that are merged.
    package let before: String?
    /// The text stored now, or the text of the second profile.
    package let theirs: String
    /// The text in the form, or the text of the first profile.
    package let yours: String

    package init(field: FieldName, title: String, before: String?, theirs: String, yours: String) {
        self.field = field
        self.title = title
        self.before = before
        self.theirs = theirs
        self.yours = yours
    }

    /// Whether the user must choose one of the texts, because `yours` differs from both `theirs` and `before`.
    package var isContested: Bool { yours != before && yours != theirs }
}

/// A panel that lists fields with two texts. If the user must choose one of the two texts (see
/// ``FieldConflict/isContested``), the panel asks which one to keep. ``MergeScreen`` shows the panel for two profiles
/// to merge. A form shows it for the fields that another writer has changed since the user began to edit.
///
/// If the user of a form has not changed a field, the field takes the stored text, because an edit must not undo the
/// change of another writer.
struct ConflictScreen: Sendable {
    /// The words around the fields.
    struct Wording: Sendable {
        let title: String
        /// The sentences above the fields.
        let text: String
        /// The sentences after `text` in a panel without fields.
        var textWithoutFields = ""
        /// The keys that choose all texts of one side.
        let allYours: KeyLegend.Item
        let allTheirs: KeyLegend.Item
        let confirming: String
        /// The action of the Return key if the user has nothing to choose.
        var confirmingAll = ""
        /// The keys besides Return.
        let leaving: [KeyLegend.Item]
    }

    let conflicts: [FieldConflict]
    private let wording: Wording
    /// The fields that keep the user's own text.
    private var kept: Set<FieldName>
    private var selected = 0

    init(_ conflicts: [FieldConflict], _ wording: Wording = .edit) {
        self.conflicts = conflicts
        self.wording = wording
        // If only the second of two merged profiles has a value, this value is usually right. In an edit, an empty text
        // is kept, because the user has cleared the field.
        kept = Set(conflicts.filter { $0.isContested && !($0.before == nil && $0.yours.isEmpty) }.map(\.field))
    }

    enum Outcome { case chosen, closed }

    /// Handles a key. Returns nil until the user confirms or closes the panel.
    mutating func take(_ key: Key) -> Outcome? {
        let contested = contested
        switch key {
        case .enter: return .chosen
        case .escape: return .closed
        case .up, .backTab: selected = max(0, selected - 1)
        case .down, .tab: selected = min(max(0, contested.count - 1), selected + 1)
        case .character(" "), .left, .right:
            if contested.indices.contains(selected) { kept.formSymmetricDifference([contested[selected].field]) }
        case .character(let character) where wording.allYours.key == character.uppercased():
            kept = Set(contested.map(\.field))
        case .character(let character) where wording.allTheirs.key == character.uppercased(): kept = []
        default: break
        }
        return nil
    }

    /// The chosen text of each field.
    var chosenTexts: [(FieldName, String)] {
        conflicts.map { ($0.field, kept.contains($0.field) ? $0.yours : $0.theirs) }
    }

    /// The fields for which the user has chosen the text of the other side.
    var fieldsOfTheirs: Set<FieldName> { Set(contested.map(\.field)).subtracting(kept) }

    private var contested: [FieldConflict] { conflicts.filter(\.isContested) }

    func draw(into frame: inout Frame) {
        let width = Panel.innerWidth(frame.size)
        var panel = Panel(title: wording.title)
        panel.add(wrapping: wording.text, width: width)
        if conflicts.isEmpty {
            panel.add(PanelLine(""))
            panel.add(wrapping: wording.textWithoutFields, width: width)
        }
        if conflicts.contains(where: { $0.before == nil }) { panel.add(PanelLine("")) }
        let titleWidth = min(conflicts.map(\.title.displayWidth).max() ?? 0, width / 3)
        for conflict in conflicts {
            let isSelected = contested.indices.contains(selected) && contested[selected] == conflict
            let lines =
                conflict.before == nil
                ? columns(of: conflict, isSelected: isSelected, titleWidth)
                : lines(of: conflict, isSelected: isSelected)
            if isSelected { panel.keptLine = panel.lines.count + (conflict.before == nil ? 0 : 1) }
            for line in lines { panel.add(line) }
        }
        panel.foot = foot(width)
        let place = panel.draw(into: &frame).lines[panel.keptLine]
        frame.caret = nil
        if let place { frame.placeCaret(row: place.row, column: place.column) }
    }

    private func lines(of conflict: FieldConflict, isSelected: Bool) -> [PanelLine] {
        let was = conflict.before.map { $0.isEmpty ? "was empty" : "was " + $0 } ?? ""
        let title = PanelLine((isSelected ? "› " : "  ") + "\(conflict.title): \(was)", isSelected ? .bold : [])
        guard conflict.isContested else {
            let now = conflict.theirs.isEmpty ? "empty" : conflict.theirs
            return [PanelLine(""), title, PanelLine("    is now " + now, .dim)]
        }
        let keepsYours = kept.contains(conflict.field)
        return [
            PanelLine(""), title, Self.option("    ", "yours  ", conflict.yours, isChosen: keepsYours),
            Self.option("    ", "theirs ", conflict.theirs, isChosen: !keepsYours),
        ]
    }

    /// The two lines of a field of two profiles: the title with the first value, then the second value. If the user has
    /// no choice, there is one line. Blank lines are left out, because the profiles may have many fields.
    private func columns(of conflict: FieldConflict, isSelected: Bool, _ titleWidth: Int) -> [PanelLine] {
        let title = conflict.title.visible(upTo: titleWidth).padded(to: titleWidth)
        let start = (isSelected ? "› " : "  ") + title + "  "
        guard conflict.isContested else { return [PanelLine(start + "    " + conflict.yours, .dim)] }
        let keepsYours = kept.contains(conflict.field)
        return [
            Self.option(start, "", conflict.yours, isChosen: keepsYours, isSelected ? .bold : []),
            Self.option(
                String(repeating: " ", count: titleWidth + 4), "", conflict.theirs, isChosen: !keepsYours,
                isSelected ? .bold : []),
        ]
    }

    private func foot(_ width: Int) -> [PanelLine] {
        let confirming = contested.isEmpty ? wording.confirmingAll : wording.confirming
        let ending = KeyLegend([KeyLegend.Item("Return", confirming, rank: 0)] + wording.leaving)
        let choosing = KeyLegend([.init("Space", "the other", rank: 0), wording.allYours, wording.allTheirs])
        let lines = contested.isEmpty ? [] : [PanelLine(choosing.text(fitting: width), .dim)]
        return lines + [PanelLine(ending.text(fitting: width), .dim)]
    }

    private static func option(
        _ start: String, _ whose: String, _ text: String, isChosen: Bool, _ style: Style = []
    ) -> PanelLine {
        let mark = isChosen ? "•" : " "
        return PanelLine(
            "\(start)(\(mark)) \(whose)" + (text.isEmpty ? "empty" : text), style.union(isChosen ? .success : .dim))
    }

    var json: JSONValue {
        let fields = conflicts.map { conflict -> JSONValue in
            [
                "name": .string(conflict.field.text), "before": conflict.before.map(JSONValue.string) ?? .null,
                "theirs": .string(conflict.theirs), "yours": .string(conflict.yours),
                "keeps_yours": .bool(kept.contains(conflict.field)), "is_contested": .bool(conflict.isContested),
            ]
        }
        return ["title": .string(wording.title), "fields": .array(fields)]
    }
}

extension ConflictScreen.Wording {
    /// The words for an edit of a profile that another writer has changed.
    static let edit = ConflictScreen.Wording(
        title: "Changed meanwhile", text: "Another user has changed this profile since you opened it.",
        textWithoutFields: "None of these fields has changed. The password may have changed.",
        allYours: .init("M", "all mine", rank: 1), allTheirs: .init("T", "all theirs", rank: 2),
        confirming: "store as marked", confirmingAll: "store with these", leaving: [.init("Esc", "back", rank: 1)])
}
