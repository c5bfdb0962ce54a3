package import ProfileCore

/// A field whose stored value has changed while the user edited the profile. Each text is in the format that a form
/// shows. An empty text means that there is no value.
package struct FieldConflict: Hashable, Sendable {
    package let field: FieldName
    package let title: String
    /// The text that was stored when the user began to edit.
    package let before: String
    /// The text stored now.
    package let theirs: String
    /// The text in the form.
    package let yours: String

    package init(field: FieldName, title: String, before: String, theirs: String, yours: String) {
        self.field = field
        self.title = title
        self.before = before
        self.theirs = theirs
        self.yours = yours
    }

    /// Whether the user and another writer changed the field to different texts.
    package var isContested: Bool { yours != before && yours != theirs }
}

/// A panel over a form. It lists the fields that another writer has changed since the user began to edit. If the user
/// has changed such a field to another text, the user chooses which of the two texts to keep.
///
/// If the user has not changed a field, the field takes the stored text, because an edit must not undo the change of
/// another writer.
struct ConflictScreen: Sendable {
    let conflicts: [FieldConflict]
    /// The fields that keep the user's own text.
    private var kept: Set<FieldName>
    private var selected = 0

    init(_ conflicts: [FieldConflict]) {
        self.conflicts = conflicts
        kept = Set(conflicts.filter(\.isContested).map(\.field))
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
        case .character("m"), .character("M"): kept = Set(contested.map(\.field))
        case .character("t"), .character("T"): kept = []
        case .character(" "), .left, .right:
            if contested.indices.contains(selected) { kept.formSymmetricDifference([contested[selected].field]) }
        default: break
        }
        return nil
    }

    /// The chosen text of each field.
    var chosenTexts: [(FieldName, String)] {
        conflicts.map { ($0.field, kept.contains($0.field) ? $0.yours : $0.theirs) }
    }

    private var contested: [FieldConflict] { conflicts.filter(\.isContested) }

    func draw(into frame: inout Frame) {
        let width = Panel.innerWidth(frame.size)
        var panel = Panel(title: "Changed meanwhile")
        panel.add(wrapping: "Another user has changed this profile since you opened it.", width: width)
        if conflicts.isEmpty {
            panel.add(PanelLine(""))
            panel.add(wrapping: "None of these fields has changed. The password may have changed.", width: width)
        }
        for conflict in conflicts {
            let isSelected = contested.indices.contains(selected) && contested[selected] == conflict
            panel.add(PanelLine(""))
            if isSelected { panel.keptLine = panel.lines.count + 1 }
            let was = conflict.before.isEmpty ? "was empty" : "was " + conflict.before
            panel.add(PanelLine((isSelected ? "› " : "  ") + "\(conflict.title): \(was)", isSelected ? .bold : []))
            if conflict.isContested {
                let keepsYours = kept.contains(conflict.field)
                panel.add(Self.option("yours ", conflict.yours, isChosen: keepsYours))
                panel.add(Self.option("theirs", conflict.theirs, isChosen: !keepsYours))
            } else {
                panel.add(PanelLine("    is now " + (conflict.theirs.isEmpty ? "empty" : conflict.theirs), .dim))
            }
        }
        panel.foot = foot(width)
        let place = panel.draw(into: &frame).lines[panel.keptLine]
        frame.caret = nil
        if let place { frame.placeCaret(row: place.row, column: place.column) }
    }

    private func foot(_ width: Int) -> [PanelLine] {
        let store = KeyLegend.Item("Return", contested.isEmpty ? "store with these" : "store as marked", rank: 0)
        let back = KeyLegend.Item("Esc", "back", rank: 1)
        let choosing = KeyLegend([
            .init("Space", "the other", rank: 0), .init("M", "all mine", rank: 1), .init("T", "all theirs", rank: 2),
        ])
        let lines = contested.isEmpty ? [] : [PanelLine(choosing.text(fitting: width), .dim)]
        return lines + [PanelLine(KeyLegend([store, back]).text(fitting: width), .dim)]
    }

    private static func option(_ whose: String, _ text: String, isChosen: Bool) -> PanelLine {
        PanelLine(
            "    (\(isChosen ? "•" : " ")) \(whose) " + (text.isEmpty ? "empty" : text), isChosen ? .success : .dim)
    }

    var json: JSONValue {
        let fields = conflicts.map { conflict -> JSONValue in
            [
                "name": .string(conflict.field.text), "before": .string(conflict.before),
                "theirs": .string(conflict.theirs), "yours": .string(conflict.yours),
                "keeps_yours": .bool(kept.contains(conflict.field)), "is_contested": .bool(conflict.isContested),
            ]
        }
        return ["title": "Changed meanwhile", "fields": .array(fields)]
    }
}
