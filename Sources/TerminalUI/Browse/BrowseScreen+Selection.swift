internal import TextLayout

// Selects profiles, and edits, removes or exports them together. Without a selection, an export contains all rows of the
// view.
extension BrowseScreen {
    /// Selects the profile of the current row, or takes it out of the selection, and moves on to the next row.
    mutating func toggleMark() {
        guard let row = chosenRow() else { return }
        toggleMark(of: row)
        window.move(by: 1, height: layout.rows)
    }

    mutating func toggleMark(of row: BrowseRow) { if marked.remove(row.id) == nil { marked.insert(row.id) } }

    /// The selected profiles, such as "3 profiles".
    var selectionText: String { Self.profiles(marked.count) }

    private static func profiles(_ count: Int) -> String { "\(count.grouped) \(count == 1 ? "profile" : "profiles")" }

    mutating func startEdit() {
        // The line begins with the name of the selected column, because most users select a column before they edit it.
        // For the key column, the line is empty, because the key cannot be set for several profiles.
        let column = columns.selectedColumn
        entry = .setting(column.isKey ? "" : column.name + "=")
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
        return ask(
            .export(
                BrowseExport(
                    ids: marked.isEmpty ? nil : marked, view: view, columns: columns.chosenNames, path: path,
                    isReplacing: false)))
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
        case .exists(var export):
            entry = nil
            export.isReplacing = true
            question = (.replacing(export.path), .export(export))
        case .exported(let text):
            entry = nil
            note = ScreenNote(text: text)
        default: break
        }
    }
}

/// An export of profiles of the table to a file.
package struct BrowseExport: Hashable, Sendable {
    /// The ids of the profiles; nil for all profiles of the view.
    package let ids: Set<Int64>?
    /// The view. The file has the order of the view.
    package let view: BrowseView
    /// The names of the columns, in their order; nil for all fields.
    package let columns: [String]?
    package let path: String
    /// Whether an existing file is replaced.
    package internal(set) var isReplacing: Bool

    package init(ids: Set<Int64>?, view: BrowseView, columns: [String]?, path: String, isReplacing: Bool) {
        self.ids = ids
        self.view = view
        self.columns = columns
        self.path = path
        self.isReplacing = isReplacing
    }
}
