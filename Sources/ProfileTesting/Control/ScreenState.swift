internal import ProfileCore

/// What a screen shows, as far as a program wants to know it. Secrets are one `•` a character.
public struct ScreenState: Hashable, Sendable {
    /// One field.
    public struct Field: Hashable, Sendable {
        /// By which ``ScreenInput/focus(_:)`` finds it.
        public let name: String
        /// What the field shows, with the literals of a mask.
        public let text: String
        /// In characters of ``text``.
        public let caret: Int
        /// The code of the issue that is shown at it, such as `too_short`; nil for none.
        public let issue: String?
        /// The issue's text.
        public let message: String?
        /// Whether the text would pass as it stands; at a login or passcode, whether there is any.
        public let isValid: Bool
    }

    /// A text over the screen that has to be closed.
    public struct Notice: Hashable, Sendable {
        /// The heading, such as `Error`.
        public let title: String
        /// What it says, below the title.
        public let text: String
        /// What its only button is called, which Return presses.
        public let button: String
    }

    /// Which screen it is: `register`, `edit`, `login`, `passcode_create`, `passcode_validate` or `passcode_edit`.
    public let screen: String
    /// The heading that people see.
    public let title: String
    /// The name of the field with the focus.
    public let focus: String?
    /// In the order in which the screen lists them.
    public let fields: [Field]
    /// What lies over the screen now; nil for nothing.
    public let notice: Notice?
    /// Whether something that the screen asked for is under way, such as storing a profile.
    public let isBusy: Bool
    /// Whether addresses can be searched: while the form's postal code is valid (F4).
    public let isAddressSearchAvailable: Bool
    /// All that the screen tells, as JSON.
    public let json: String

    /// A field by its name.
    public subscript(name: String) -> Field? { fields.first { $0.name == name } }

    /// - Returns: nil where it is no state.
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
