import ProfileCore
import ProfileLogin
import ProfileStore
import SecretHashing
import Testing
import Watchdog

/// L5, word for word.
@Suite(.watched) struct LoginErrorTests {
    @Test(
        "L5: the texts",
        arguments: [
            (("p", "aK8oio"), "Your username should have at least 2 and at most 10 characters"),
            (
                ("pritesh", "po"),
                "Your password should have at least 3 characters with at least one uppercase letter and one decimal digit"
            ),
            (("pritesh", "poytrl"), "Your password should have at least one uppercase letter and one decimal digit"),
        ])
    func local(typed: (username: String, password: String), text: String) {
        let failure = LoginChecks(.standard).failure(username: typed.username, password: Secret(typed.password))
        #expect(failure?.message == text)
    }

    @Test(
        "L5: the texts of the errors of the authenticator",
        arguments: [
            (LoginError.invalidCredentials, "The user credentials are invalid"),
            (.invalidResponse, "Failed to fetch your data, please try again later"),
            (.unexpectedStatus, "Wrong status code received, please try again later"),
            (.unknown, "Something went wrong, please try again later"),
            (.hashing(.busy), "Something went wrong, please try again later"),
            (.store(.full("disk")), "Something went wrong, please try again later"),
            (.throttled(milliseconds: 1), "Too many failed attempts, please try again in 1 second"),
            (.throttled(milliseconds: 1_001), "Too many failed attempts, please try again in 2 seconds"),
            (.throttled(milliseconds: .max), "Too many failed attempts, please try again in 9223372036854776 seconds"),
            (.locked, "Too many failed attempts, please ask the owner to unlock you"),
            (.cancelled, "The login was cancelled"),
            (.noPasswords, "Login is not possible because profiles have no password here"),
        ])
    func answered(error: LoginError, text: String) {
        #expect(error.message == text)
    }

    @Test(
        "L5: the texts by other rules",
        arguments: [
            (
                LoginError.invalidUsernameLength(minimum: 1, maximum: nil),
                "Your username should have at least 1 character"
            ),
            (
                .invalidUsernameLength(minimum: 1, maximum: 1),
                "Your username should have at least 1 and at most 1 character"
            ),
            (.invalidPasswordLength(minimum: 1, requirements: []), "Your password should have at least 1 character"),
            (
                .invalidPasswordLength(minimum: 8, requirements: [.lowercase]),
                "Your password should have at least 8 characters with at least one lowercase letter"
            ),
            (
                .invalidPasswordCharacters(requirements: [.uppercase, .lowercase, .digit, .special]),
                "Your password should have at least one uppercase letter, one lowercase letter, one decimal digit and "
                    + "one special character"
            ),
        ])
    func other(error: LoginError, text: String) {
        #expect(error.message == text)
    }

    @Test(
        "The kind of an error says what to do, like the kind of a store's error",
        arguments: [
            (LoginError.invalidUsernameLength(minimum: 1, maximum: nil), ProfileStoreError.Kind.invalid),
            (.invalidPasswordLength(minimum: 1, requirements: []), .invalid),
            (.invalidPasswordCharacters(requirements: [.digit]), .invalid), (.noPasswords, .invalid),
            (.invalidCredentials, .denied), (.invalidResponse, .unavailable), (.unexpectedStatus, .unavailable),
            (.unknown, .unavailable), (.throttled(milliseconds: 1), .throttled), (.locked, .throttled),
            (.hashing(.busy), .busy), (.store(.full("disk")), .full), (.store(.notFound(username: "a")), .notFound),
            (.cancelled, .unavailable),
        ])
    func kind(error: LoginError, kind: ProfileStoreError.Kind) {
        #expect(error.kind == kind)
    }

    @Test func `L5: success greets, and alerts have titles`() {
        #expect(LoggedInProfile(username: "pritesh").greeting == "Hello pritesh")
        #expect(LoggedInProfile(username: "pritesh", name: "Pritesh N").greeting == "Hello Pritesh N")
        #expect(LoggedInProfile.greetingTitle == "Success")
        #expect(LoginError.messageTitle == "Error")
    }
}
