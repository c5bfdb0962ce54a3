internal import ProfileCore
internal import ProfileStore

// The bodies of requests that are no drafts, patches, queries or schemas.

struct LoginBody {
    let username: String
    let password: Secret
    let device: Secret?
    let label: AccountLabel?
    /// Whether the tokens are to be cookies, so that no script of a page reads them.
    let wantsCookie: Bool

    init(_ json: JSONValue) throws(JSONMemberError) {
        let members = try JSONMembers(json, known: ["username", "password", "device", "label", "cookie"])
        username = try members.requiredText("username")
        password = Secret(try members.requiredText("password"))
        device = try members.text("device").map(Secret.init)
        label = try members.text("label").flatMap(AccountLabel.init(fitting:))
        wantsCookie = try members.flag("cookie") ?? false
    }
}

struct RedeemBody {
    let token: Secret
    let password: Secret

    init(_ json: JSONValue) throws(JSONMemberError) {
        let members = try JSONMembers(json, known: ["token", "password"])
        token = Secret(try members.requiredText("token"))
        password = Secret(try members.requiredText("password"))
    }
}

struct PasswordChangeBody {
    let old: Secret
    let new: Secret
    let remembersDevice: Bool

    init(_ json: JSONValue) throws(JSONMemberError) {
        let members = try JSONMembers(json, known: ["old_password", "password", "remember_device"])
        old = Secret(try members.requiredText("old_password"))
        new = Secret(try members.requiredText("password"))
        remembersDevice = try members.flag("remember_device") ?? false
    }
}

struct PasswordBody {
    let password: Secret

    init(_ json: JSONValue) throws(JSONMemberError) {
        password = Secret(try JSONMembers(json, known: ["password"]).requiredText("password"))
    }
}

struct PasscodeBody {
    let passcode: Secret

    init(_ json: JSONValue) throws(JSONMemberError) {
        passcode = Secret(try JSONMembers(json, known: ["passcode"]).requiredText("passcode"))
    }
}

struct PasscodeChangeBody {
    let old: Secret
    let new: Secret

    init(_ json: JSONValue) throws(JSONMemberError) {
        let members = try JSONMembers(json, known: ["old_passcode", "passcode"])
        old = Secret(try members.requiredText("old_passcode"))
        new = Secret(try members.requiredText("passcode"))
    }
}

/// One value of a field, or a whole draft.
enum ValidationBody {
    case value(String, of: FieldName)
    case draft(JSONValue)

    init(_ json: JSONValue) throws(JSONMemberError) {
        if json["draft"] != nil {
            _ = try JSONMembers(json, known: ["draft"])
            self = .draft(json["draft"] ?? .null)
        } else {
            let members = try JSONMembers(json, known: ["field", "value"])
            guard let field = FieldName(try members.requiredText("field")) else {
                throw JSONMemberError(.malformed, at: "field")
            }
            self = .value(try members.requiredText("value"), of: field)
        }
    }
}

struct NewTokenBody {
    let name: AccountLabel
    let scopes: Set<AccessScope>
    /// Nil if the token does not expire.
    let validity: Duration?

    init(_ json: JSONValue) throws(JSONMemberError) {
        let members = try JSONMembers(json, known: ["name", "scope", "expires_in"])
        guard let name = AccountLabel(try members.requiredText("name")) else {
            throw JSONMemberError(.malformed, at: "name")
        }
        self.name = name
        let word = try members.requiredText("scope")
        guard let level = AccessLevel.allCases.first(where: { $0.scope.text == word }) else {
            throw JSONMemberError(.unknownWord(known: AccessLevel.allCases.map(\.scope.text)), at: "scope")
        }
        scopes = [level.scope]
        let seconds = try members.integer("expires_in")
        if let seconds, !(1...Self.longestValidity ~= seconds) { throw JSONMemberError(.malformed, at: "expires_in") }
        validity = seconds.map { .seconds($0) }
    }

    /// Ten years, in seconds.
    static let longestValidity = 10 * 366 * 86_400
}

struct UndoBody {
    let overridesLaterChanges: Bool
    let isPreview: Bool

    init(_ json: JSONValue) throws(JSONMemberError) {
        let members = try JSONMembers(json, known: ["override_later_changes", "preview"])
        overridesLaterChanges = try members.flag("override_later_changes") ?? false
        isPreview = try members.flag("preview") ?? false
    }
}
