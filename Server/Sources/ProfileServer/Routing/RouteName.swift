internal import ProfileCore

/// The routes of the service. An application may make a service with only some of them; see ``ProfileService``.
public enum RouteName: String, CaseIterable, Sendable {
    // Without credentials.
    case logIn, redeemReset, register, getHealth, getReadiness, getDescription
    // People.
    case getOwnProfile, editOwnProfile, leave, changeOwnPassword
    case createOwnPasscode, changeOwnPasscode, removeOwnPasscode, checkOwnPasscode
    case listOwnSessions, endOwnSessions, endOwnSession, listOwnDevices, endOwnDevices, endOwnDevice
    case exportOwnData, logOut, validate
    // People and programs.
    case getSchema
    // Programs.
    case listProfiles, searchProfiles, getProfile, getHistory, getSchemaVersion, compareSchema, getStatistics,
        getMetrics
    case editProfile, unlockProfile, issueReset, listSessions, endSessions
    case createProfile, removeProfile, setPassword, setPasscode, removePasscode, undoChange
    case adoptSchema, listTokens, createToken, revokeToken
}

extension RouteName {
    var route: Route {
        switch self {
        case .logIn: .logIn
        case .redeemReset: .redeemReset
        case .register: .register
        case .getHealth: .getHealth
        case .getReadiness: .getReadiness
        case .getDescription: .getDescription
        case .getOwnProfile: .getOwnProfile
        case .editOwnProfile: .editOwnProfile
        case .leave: .leave
        case .changeOwnPassword: .changeOwnPassword
        case .createOwnPasscode: .createOwnPasscode
        case .changeOwnPasscode: .changeOwnPasscode
        case .removeOwnPasscode: .removeOwnPasscode
        case .checkOwnPasscode: .checkOwnPasscode
        case .listOwnSessions: .listOwnSessions
        case .endOwnSessions: .endOwnSessions
        case .endOwnSession: .endOwnSession
        case .listOwnDevices: .listOwnDevices
        case .endOwnDevices: .endOwnDevices
        case .endOwnDevice: .endOwnDevice
        case .exportOwnData: .exportOwnData
        case .logOut: .logOut
        case .validate: .validate
        case .getSchema: .getSchema
        case .listProfiles: .listProfiles
        case .searchProfiles: .searchProfiles
        case .getProfile: .getProfile
        case .getHistory: .getHistory
        case .getSchemaVersion: .getSchemaVersion
        case .compareSchema: .compareSchema
        case .getStatistics: .getStatistics
        case .getMetrics: .getMetrics
        case .editProfile: .editProfile
        case .unlockProfile: .unlockProfile
        case .issueReset: .issueReset
        case .listSessions: .listSessions
        case .endSessions: .endSessions
        case .createProfile: .createProfile
        case .removeProfile: .removeProfile
        case .setPassword: .setPassword
        case .setPasscode: .setPasscode
        case .removePasscode: .removePasscode
        case .undoChange: .undoChange
        case .adoptSchema: .adoptSchema
        case .listTokens: .listTokens
        case .createToken: .createToken
        case .revokeToken: .revokeToken
        }
    }

    /// The name of a request in the audit log; nil if such a request is not audited.
    func audit(_ body: JSONValue) -> String? {
        switch self {
        case .editProfile: body.setsPassword ? "password_set" : nil
        case .logIn: "login"
        case .changeOwnPassword: "password_change"
        case .setPassword: "password_set"
        case .issueReset: "reset_issued"
        case .redeemReset: "reset_redeemed"
        case .unlockProfile: "unlock"
        case .createToken: "token_created"
        case .revokeToken: "token_revoked"
        case .adoptSchema: "schema_adopted"
        default: nil
        }
    }
}
