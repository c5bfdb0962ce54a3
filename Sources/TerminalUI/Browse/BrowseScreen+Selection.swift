internal import TextLayout

// Selects profiles, and edits, removes or exports them together. Without a selection, an export contains all rows of the
// view.
extension BrowseScreen {
    /// Selects the profile of the current row, or takes it out of the selection, and moves on to the next row.
    mutating func toggleMark() {
        guard let row = chosenRow() else { return }
        if marked.remove(row.id) == nil { marked.insert(row.id) }
        window.move(by: 1, height: layout.rows)
    }

    /// The selected profiles, such as "3 profiles".
    var selectionText: String { Self.profiles(marked.count) }

    private static func profiles(_ count: Int) -> String { "\(count.grouped) \(count == 1 ? "profile" : "profiles")" }

    mutating func startEdit() {
        // Most users choose the column before they edit it. The key cannot be set for several profiles.
        entry = .setting(columns[column].isKey ? "" : columns[column].name + "=")
    }

    mutating func previewEdit(_ setting: String) -> ScreenAction<Request>? {
        note = ScreenNote(text: "Reading \(selectionText) …")
        return ask(.previewEdit(marked, setting: setting))
    }

    var removalOfSelection: (choice: ChoiceScreen, request: Request) {
        (.removing(many: selectionText), .removeMany(marked))
    }

    /// The number of profiles that an export contains, as a text.
    var exportText: String {
        guard marked.isEmpty else { return selectionText }
        return counts[view].map(Self.profiles) ?? "all profiles"
    }

    mutating func export(to path: String) -> ScreenAction<Request>? {
        guard !path.isEmpty else {
            entry = nil
            return nil
        }
        note = ScreenNote(text: "Exporting …")
        return ask(.export(marked.isEmpty ? nil : marked, view, path: path, isReplacing: false))
    }

    /// Handles an answer to a request about several profiles.
    mutating func receiveOfSelection(_ reply: Reply) {
        isBusy = false
        note = nil
        switch reply {
        case .selected(let ids):
            marked.formUnion(ids)
            note = ScreenNote(text: "Selected \(Self.profiles(ids.count))")
        case .editable(let ids, let setting, let text):
            entry = nil
            question = (.editing(Self.profiles(ids.count), text), .editMany(ids, setting: setting))
        case .exists(let ids, let view, let path):
            entry = nil
            question = (.replacing(path), .export(ids, view, path: path, isReplacing: true))
        case .exported(let text):
            entry = nil
            note = ScreenNote(text: text)
        default: break
        }
    }
}
