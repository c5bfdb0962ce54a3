internal import ProfileCore

/// A screen that is started with a new temporary store (T3). The store contains test data, which is called a fixture.
///
/// If the command is built with the trait `TestHooks`, environment variables can make it start a scenario; see
/// <doc:Driving-the-screens>.
public struct Scenario: Hashable, Sendable {
    /// A screen. The raw value is the screen's name in the environment variable `TestLauncher-VC`.
    public enum Screen: String, Hashable, Sendable, CaseIterable {
        /// Creates, validates or edits a passcode.
        case passcode = "PassCodeViewController"
        /// Asks for a username and a password.
        case login = "LoginViewController"
        /// Registers or edits a profile in a form.
        case profile = "ProfileViewController"
    }

    /// The purpose of the screen.
    public enum Purpose: Hashable, Sendable {
        /// The user sets the first passcode of this profile.
        case createPasscode(username: String)
        /// The user checks the passcode of this profile.
        case validatePasscode(username: String)
        /// The user replaces the passcode of this profile.
        case editPasscode(username: String)
        /// The user logs in with this username. If it is nil, the screen asks for the username.
        case logIn(username: String?)
        /// The user registers a new profile.
        case register
        /// The user changes a stored profile.
        case edit(username: String)
    }

    /// The screen that is started.
    public let screen: Screen
    /// The name of the fixture.
    public let model: String
    /// A short description.
    public let summary: String
    /// The purpose of the screen.
    public let purpose: Purpose
    /// The stored profiles, all with the password `aK8oio`.
    let profiles: [StoredProfile]
    /// The rules of the store.
    let schema: ProfileSchema

    /// A profile of a fixture.
    struct StoredProfile: Hashable, Sendable {
        let values: [String: String]
        var passcode: String?
        /// The number of failed logins before the screen is started.
        var failures = 0
    }

    private init(
        _ screen: Screen, _ model: String, _ purpose: Purpose, _ summary: String, _ profiles: [StoredProfile] = [],
        schema: ProfileSchema = .standard
    ) {
        self.screen = screen
        self.model = model
        self.purpose = purpose
        self.summary = summary
        self.profiles = profiles
        self.schema = schema
    }

    /// The password of every profile in every fixture.
    public static let password = "aK8oio"

    /// All scenarios, ordered by screen.
    public static let all: [Scenario] = passcodes + logins + forms

    private static let passcodes = [
        Scenario(
            .passcode, "PassCodeModel1", .createPasscode(username: "skboard"),
            "Create a passcode, such as yishuntoapayoh, for a profile that has none",
            [StoredProfile(values: skboard)]),
        Scenario(
            .passcode, "PassCodeModel2", .validatePasscode(username: "skboard"), "Validate the passcode parislondon",
            [StoredProfile(values: skboard, passcode: "parislondon")]),
        Scenario(
            .passcode, "PassCodeModel3", .editPasscode(username: "skboard"), "Edit the passcode marsvenus",
            [StoredProfile(values: skboard, passcode: "marsvenus")]),
    ]

    private static let logins = [
        Scenario(
            .login, "LoginModel1", .logIn(username: nil), "Log in as pritesh with the password aK8oio",
            [StoredProfile(values: pritesh)]),
        Scenario(
            .login, "LoginModel2", .logIn(username: "pritesh"), "Log in as pritesh, whose name is filled in",
            [StoredProfile(values: pritesh)]),
        Scenario(
            .login, "LoginModel3", .logIn(username: "pritesh"), "Log in as pritesh after five failures: throttled",
            [StoredProfile(values: pritesh, failures: 5)]),
        Scenario(.login, "LoginModel4", .logIn(username: nil), "Log in to a store without profiles"),
    ]

    private static let forms = [
        Scenario(.profile, "ProfileModel1", .register, "Register in an empty store"),
        Scenario(
            .profile, "ProfileModel2", .edit(username: "skboard"), "Edit skboard's stored profile",
            [StoredProfile(values: skboard)]),
        Scenario(
            .profile, "ProfileModel3", .register, "Register where two addresses are stored under the postal code 89761",
            [StoredProfile(values: pritesh), StoredProfile(values: skboard), StoredProfile(values: anna)]),
        Scenario(
            .profile, "ProfileModel4", .register, "Register by a schema with a name, an age and a newsletter",
            schema: .scenario),
    ]

    private static let skboard = [
        "username": "skboard", "phone": "78761241", "address": "12 Yishun Ring Road", "postal_code": "13456",
        "birthday": "19980115",
    ]
    private static let pritesh = [
        "username": "pritesh", "phone": "61234567", "address": "7 Toa Payoh Lorong 1", "postal_code": "89761",
    ]
    private static let anna = [
        "username": "anna", "phone": "62345678", "address": "9 Toa Payoh Lorong 4", "postal_code": "89761",
    ]
}

extension ProfileSchema {
    /// A schema with kinds of fields that the standard schema does not have: a capitalised name, an integer and a
    /// boolean.
    fileprivate static let scenario: ProfileSchema = {
        let document = """
            {"name": "members", "fields": [
              {"name": "username", "title": "Username", "constraints": {"required": true, "unique": true, "maxLength": 12}},
              {"name": "display_name", "title": "Name", "constraints": {"required": true, "maxLength": 40},
               "profiles": {"contentType": "name"}},
              {"name": "age", "title": "Age", "type": "integer", "constraints": {"minimum": 18, "maximum": 120}},
              {"name": "newsletter", "title": "Newsletter", "type": "boolean"}
            ]}
            """
        // The document is always valid. A test creates the store of every scenario and checks the name of its schema.
        return (try? ProfileSchema(parsing: document)) ?? .standard
    }()
}
