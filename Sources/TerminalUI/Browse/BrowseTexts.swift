internal import TextLayout

// The questions of the table, and its list of keys.

extension ChoiceScreen {
    /// The question before a profile is removed.
    static func removing(_ name: String) -> ChoiceScreen {
        ChoiceScreen(
            title: "Remove \(name.visible)?", text: "With its password, its passcode and its sessions.",
            options: ["Keep it", "Remove it"])
    }

    /// The question before several profiles are edited. `text` says what would change.
    static func editing(_ profiles: String, _ text: String) -> ChoiceScreen {
        ChoiceScreen(title: "Edit \(profiles)?", text: text, options: ["Keep the old values", "Edit"])
    }

    /// The question before several profiles are removed.
    static func removing(many profiles: String) -> ChoiceScreen {
        ChoiceScreen(
            title: "Remove \(profiles)?", text: "With their passwords, passcodes and sessions.",
            options: ["Keep", "Remove"])
    }

    /// The question before an export replaces a file.
    static func replacing(_ path: String) -> ChoiceScreen {
        ChoiceScreen(
            title: "Replace the file?", text: "\(path.visible) exists already.", options: ["Keep it", "Replace it"])
    }

    /// The question before a change is undone.
    static func undoing(_ text: String) -> ChoiceScreen {
        ChoiceScreen(title: "Undo the newest change?", text: text, options: ["Keep the change", "Undo it"])
    }
}

extension TextScreen {
    /// All keys of the table.
    static let browseKeys = {
        let keys = [
            ("↑ ↓, j k", "the next or the previous row"), ("PgUp PgDn", "a page"),
            ("Home End, g G", "the first or the last row"), (":", "go to the row with a number, such as :1200"),
            ("← →, h l", "choose a column"), ("J K", "scroll the details of the profile"),
            ("c", "choose the shown columns and their order, which are remembered"), ("", ""),
            ("/", "search in all columns as you type"),
            ("s", "sort by the column; again: the other way, and not at all"),
            ("=", "show only profiles with the same value in the column"), ("!", "leave out profiles with this value"),
            ("f", "show only invalid profiles, or only those that are not judged yet"),
            ("Esc", "end the selection, then the search, then the filters by value, the last one first"), ("", ""),
            ("Return, e", "edit the profile"), ("n", "register a profile"),
            ("Del, d", "remove the profile, after a question"), ("x", "export all rows that match to a file"),
            ("u", "undo the newest change of the store, after a question"),
            ("H", "the history of the profile: its values before and after each change"),
            ("y", "copy the value in the column to the clipboard of the terminal"),
            ("Y", "copy all values of the profile, separated by tabs"), ("", ""),
            ("Space", "select the profile, or take it out of the selection"), ("a", "select all profiles that match"),
            ("e", "with a selection: set a field of all its profiles, as in town=London or place={town} {postal_code}"),
            ("Del, d", "with a selection: remove its profiles, after a question"),
            ("x", "with a selection: export its profiles to a file"), ("", ""),
            ("click", "choose a row; a double click edits the profile, and a click left of the row selects it"),
            ("heading", "a click sorts; dragging the edge between two headings changes a width"),
            ("wheel", "scroll the table or the details"), ("", ""), ("r", "read the profiles again"),
            ("?", "these keys"), ("Ctrl-L", "draw the screen again"),
            ("Ctrl-Z", "suspend the program"), ("q", "leave"),
        ]
        let width = keys.map(\.0.displayWidth).max() ?? 0
        return TextScreen(
            title: "Keys",
            lines: keys.map { key, action in Line(key.isEmpty ? "" : key.padded(to: width) + "  ", action, .bold) })
    }()
}
