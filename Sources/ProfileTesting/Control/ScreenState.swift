internal import ProfileCore

/// The visible state of a screen for a test. The text of a secret field has one `•` for each character.
public struct ScreenState: Hashable, Sendable {
    /// One field of the screen.
    public struct Field: Hashable, Sendable {
        /// The name, as used by ``ScreenInput/focus(_:)``.
        public let name: String
        /// The text that the field shows, including the literal characters of its mask.
        public let text: String
        /// The position of the caret, as a number of characters from the start of ``text``.
        public let caret: Int
        /// The code of the shown issue, such as `too_short`; nil if there is none.
        public let issue: String?
        /// The text of the issue.
        public let message: String?
        /// Whether the current text is valid. On a login or passcode screen, it is true if the field has any text.
        public let isValid: Bool
    }

    /// A message over the screen that the user must close.
    public struct Notice: Hashable, Sendable {
        /// The heading, such as `Error`.
        public let title: String
        /// The text below the title.
        public let text: String
        /// The label of the notice's only button. The Return key presses the button.
        public let button: String
    }

    /// The name of the screen: `register`, `edit`, `login`, `passcode_create`, `passcode_validate` or `passcode_edit`.
    public let screen: String
    /// The visible heading.
    public let title: String
    /// The name of the field with the focus; nil if there is none.
    public let focus: String?
    /// The fields, in the order of the screen.
    public let fields: [Field]
    /// The notice over the screen; nil if there is none.
    public let notice: Notice?
    /// Whether the screen waits for the end of a request, such as storing a profile.
    public let isBusy: Bool
    /// Whether addresses can be searched. This is true while the form's postal code is valid (F4).
    public let isAddressSearchAvailable: Bool
    /// The complete state as JSON.
    public let json: String

    /// The field with this name; nil if there is none.
    public subscript(name: String) -> Field? { fields.first { $0.name == name } }

    /// - Returns: Nil if the JSON does not describe a screen state.
    init?(_ json: JSONValue) {
        guard let screen = json["screen"]?.string, let fields = json["fields"]?.elements else { return nil }
        self.screen = screen
        self.fields = fields.compactMap(Field.init)
        title = json["title"]?.string ?? ""
        focus = json["focus"]?.string
        notice = json["notice"].flatMap(Notice.init)
        isBusy = json["is_busy"]?.bool ?? false
        isAddressSearchAvailable = json["search_available"]?.bool ?? false
        self.json = json.text(indented: true)
    }
}

extension ScreenState.Field {
    fileprivate init?(_ json: JSONValue) {
        guard let name = json["name"]?.string, let text = json["text"]?.string else { return nil }
        self.name = name
        self.text = text
        caret = json["caret"]?.integer ?? 0
        issue = json["issue"]?.string
        message = json["message"]?.string
        isValid = json["is_valid"]?.bool ?? false
    }
}

extension ScreenState.Notice {
    fileprivate init?(_ json: JSONValue) {
        guard let title = json["title"]?.string, let text = json["text"]?.string else { return nil }
        self.title = title
        self.text = text
        button = json["button"]?.string ?? ""
    }
}
