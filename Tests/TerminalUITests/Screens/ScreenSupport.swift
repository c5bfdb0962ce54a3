import ProfileCore
import ProfileForm
import TerminalUI

extension Screen {
    /// Presses keys one after another, without time passing.
    ///
    /// - Returns: The action of the last key.
    @discardableResult
    mutating func press(_ keys: Key...) -> ScreenAction<Request>? {
        var action: ScreenAction<Request>?
        for key in keys { action = handle(key) }
        return action
    }

    /// Types text, key by key.
    mutating func type(_ text: String) {
        for character in text { _ = handle(.character(character)) }
    }

    /// The screen as text.
    func text(_ columns: Int = 80, _ rows: Int = 24) -> String { frame(ScreenSize(columns: columns, rows: rows)).text }
}

extension ProfileSchema {
    /// A schema with a username, a choice of towns, a boolean `member` and a note.
    static func withChoices(towns: Int) throws -> ProfileSchema {
        let towns = (0..<towns).map { "\"Town \($0)\"" }.joined(separator: ",")
        return try ProfileSchema(
            parsing: """
                {"fields": [{"name": "username", "constraints": {"required": true, "unique": true}},
                  {"name": "town", "constraints": {"enum": [\(towns)]}}, {"name": "member", "type": "boolean"},
                  {"name": "note"}]}
                """)
    }
}

extension FormScreen {
    /// A form for a new profile.
    static func registering(_ schema: ProfileSchema = .standard, notices: [NoticeScreen] = []) -> FormScreen {
        FormScreen(
            FormState(ProfileValidator(schema), on: .someDay), name: "register", title: "Register a profile",
            submitting: "register", notices: notices)
    }

    /// A form for a stored profile.
    static func editing() -> FormScreen {
        let values: [(String, String)] = [
            ("username", "skboard"), ("phone", "7876-1241"), ("address", "12 Main Street"), ("birthday", "1998-01-15"),
        ]
        let form = FormState(
            ProfileValidator(.standard), on: .someDay, hasPassword: true,
            values: Dictionary(
                uniqueKeysWithValues: values.compactMap { name, value in FieldName(name).map { ($0, value) } }))
        return FormScreen(form, name: "edit", title: "Edit skboard", submitting: "store", hasHistory: true)
    }

    /// Fills in what is required, and goes to the last field.
    mutating func fillIn() {
        type("skboard")
        press(.enter)
        type("aK8oio")
        press(.enter)
        type("78761241")
        press(.enter)
        type("12 Main Street")
        press(.enter, .enter)
    }

    subscript(name: String) -> FormField? { FieldName(name).flatMap { form[$0] } }
}

extension ScreenAction {
    var request: Request? { if case .ask(let request) = self { request } else { nil } }
    var isLeave: Bool { if case .leave = self { true } else { false } }
    var isSkip: Bool { if case .skip = self { true } else { false } }
    var isInterrupt: Bool { if case .interrupt = self { true } else { false } }
    var isSuspend: Bool { if case .suspend = self { true } else { false } }
}

extension CalendarDay {
    /// The day of the tests.
    static let someDay = CalendarDay(iso: "2026-11-21") ?? .latest
}
