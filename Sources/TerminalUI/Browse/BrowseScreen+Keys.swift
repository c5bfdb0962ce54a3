package import ProfileForm

// The keys of the table.
extension BrowseScreen {
    /// A line into which the user types.
    enum Entry: Hashable {
        case search
        /// The number of a row to go to.
        case rowNumber(String)
        /// The assignment for the selected profiles, such as `town=London`.
        case setting(String)
        /// The file of an export.
        case file(String)
    }

    package mutating func take(_ key: Key) -> ScreenAction<Request>? {
        note = nil
        // On a small screen, the search line uses one row of the table, so the table may have to scroll.
        defer { window.scroll(layout.rows) }
        if let text {
            var text = text
            self.text = text.isClosed(by: key, on: size) ? nil : text
            return nil
        }
        if var chooser {
            let outcome = chooser.take(key)
            self.chooser = outcome == nil ? chooser : nil
            return if case .taken(let arrangement) = outcome { rearrange(arrangement) } else { nil }
        }
        if let question { return answer(key, question.choice, question.request) }
        if case .mouse(let event) = key { return take(event) }
        switch entry == nil ? key.orMovement : key {
        case .up: window.move(by: -1, height: layout.rows)
        case .down: window.move(by: 1, height: layout.rows)
        case .pageUp: window.move(by: -max(1, layout.rows - 1), height: layout.rows)
        case .pageDown: window.move(by: max(1, layout.rows - 1), height: layout.rows)
        case .home: goTo(.first)
        case .end: goTo(.last)
        default:
            switch entry {
            case .search: typedSearch(key)
            case .rowNumber(let digits): return typed(key, digits)
            case .setting(let text), .file(let text): return typed(key, text)
            case nil: return pressed(key.orMovement)
            }
        }
        return nil
    }

    /// Handles a key while the search has the focus.
    private mutating func typedSearch(_ key: Key) {
        switch key {
        case .character(let character): search(for: view.search + String(character))
        case .paste(let text): search(for: view.search + text.prefix { !$0.isNewline })
        case .backspace where view.search.isEmpty: entry = nil
        case .backspace: search(for: String(view.search.dropLast()))
        case .control("u"): search(for: "")
        case .enter, .tab: entry = nil
        case .escape:
            entry = nil
            search(for: "")
        default: break
        }
    }

    /// Handles a key while the user types a text that takes effect only when the user presses Return or Tab.
    private mutating func typed(_ key: Key, _ text: String) -> ScreenAction<Request>? {
        var text = text
        switch key {
        case .character(let character): text.append(character)
        case .paste(let pasted): text += pasted.prefix { !$0.isNewline }
        case .backspace where text.isEmpty:
            entry = nil
            return nil
        case .backspace: text.removeLast()
        case .control("u"): text = ""
        case .escape:
            entry = nil
            return nil
        case .enter, .tab: return completed(text)
        default: break
        }
        switch entry {
        case .rowNumber:
            // 15 digits are enough for the number of any row, and can always be converted to an Int.
            entry = .rowNumber(String(text.filter { $0.isASCII && $0.isNumber }.prefix(15)))
        case .setting: entry = .setting(text)
        case .file: entry = .file(text)
        case .search, nil: break
        }
        return nil
    }

    private mutating func completed(_ text: String) -> ScreenAction<Request>? {
        switch entry {
        case .rowNumber:
            entry = nil
            if let number = Int(text) { goTo(row: number) }
            return nil
        case .setting: return previewEdit(text)
        case .file: return export(to: text)
        case .search, nil: return nil
        }
    }

    private mutating func pressed(_ key: Key) -> ScreenAction<Request>? {
        switch key {
        case .left, .backTab: columns.move(by: -1)
        case .right, .tab: columns.move(by: 1)
        case .character("c"): chooser = ColumnChooser(columns)
        case .character("/"), .control("f"): entry = .search
        case .character(":"): entry = .rowNumber("")
        case .character("?"): text = .browseKeys
        case .character("J"): scrollDetail(by: 1)
        case .character("K"): scrollDetail(by: -1)
        case .character("s"): sort()
        case .character("f"): filter()
        case .character("r"): reload()
        case .character("n"): return ask(.register(place))
        case .character("e") where !marked.isEmpty: startEdit()
        case .enter, .character("e"): return chosenRow().flatMap { ask(.edit(id: $0.id, place)) }
        case .delete where !marked.isEmpty, .character("d") where !marked.isEmpty: question = removalOfSelection
        case .delete, .character("d"):
            question = chosenRow().map {
                (.removing($0.name), .remove(id: $0.id, name: $0.name, revision: $0.revision))
            }
        case .character("H"): return chosenRow().flatMap { ask(.history(id: $0.id, name: $0.name)) }
        case .character("u"):
            // If the newest change is a large import, reading it takes seconds.
            note = ScreenNote(text: "Reading the newest change …")
            return ask(.previewUndo)
        case .character("y"): return chosenRow().flatMap { ask(.copy(id: $0.id, columns.selectedColumn)) }
        case .character("Y"): return chosenRow().flatMap { ask(.copy(id: $0.id, nil)) }
        case .character(" "): toggleMark()
        case .character("a"):
            note = ScreenNote(text: "Selecting …")
            return ask(.select(view))
        case .character("x"): entry = .file("")
        case .character("="): filterByCell(isExcluded: false)
        case .character("!"): filterByCell(isExcluded: true)
        // The user does not want to wait for a distant row any more.
        case .escape where incoming?.isOnItsWay == true && view == shownView: incoming = nil
        case .escape where !marked.isEmpty: marked = []
        case .escape where !view.search.isEmpty: search(for: "")
        case .escape where !view.conditions.isEmpty:
            view.conditions.removeLast()
            show()
        case .escape, .character("q"): return .leave
        default: break
        }
        return nil
    }

    /// Returns the selected row. If the visible rows still belong to the previous view, returns nil and shows a note.
    mutating func chosenRow() -> BrowseRow? {
        guard view == shownView else {
            note = ScreenNote(text: "Still reading: press it again")
            return nil
        }
        return window.selectedRow
    }

    package mutating func take(_ event: FormEvent) -> ScreenAction<Request>? { nil }

    private mutating func answer(
        _ key: Key, _ choice: ChoiceScreen, _ request: Request
    ) -> ScreenAction<Request>? {
        var choice = choice
        let outcome = choice.take(key)
        question = outcome == nil ? (choice, request) : nil
        guard outcome == .picked(1) else { return nil }
        switch request {
        case .undo: note = ScreenNote(text: "Undoing …")
        case .editMany: note = ScreenNote(text: "Editing …")
        case .removeMany: note = ScreenNote(text: "Removing …")
        case .export: note = ScreenNote(text: "Exporting …")
        default: break
        }
        return ask(request)
    }

    mutating func ask(_ request: Request) -> ScreenAction<Request> {
        isBusy = true
        return .ask(request)
    }
}
