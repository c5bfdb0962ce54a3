import ProfileCore
import ProfileLogin
import ProfileStore
import ProfileTesting
import Testing
import Watchdog

@Suite(.watched) struct ScriptedAuthenticatorTests {
    private func outcome(_ authenticator: ScriptedAuthenticator, _ username: String) async -> String {
        let service = LoginService(checks: LoginChecks(.standard), authenticator: authenticator)
        do throws(LoginError) {
            return try await service.logIn(username: username, password: Secret("aK8oio")).greeting
        } catch {
            return error.message
        }
    }

    @Test func `L3: answers come in the order of the script, each reaching the caller unchanged`() async {
        let anna = LoggedInProfile(username: "anna", name: "Anna B")
        let authenticator = ScriptedAuthenticator([.success(anna), .success(), .invalidCredentials])
        authenticator.enqueue(.invalidResponse, .unexpectedStatus)
        var outcomes: [String] = []
        for _ in 0..<6 { outcomes.append(await outcome(authenticator, "pritesh")) }
        #expect(
            outcomes == [
                "Hello Anna B", "Hello pritesh", "The user credentials are invalid",
                "Failed to fetch your data, please try again later",
                "Wrong status code received, please try again later", "Something went wrong, please try again later",
            ])
        let report = authenticator.report
        #expect(report.attempts.count == 6 && report.given.count == 5 && report.unscripted == 1)
        #expect(report.unused.isEmpty)
    }

    @Test func `L2: an answer that no login has used is reported as unused`() async {
        let authenticator = ScriptedAuthenticator([.invalidCredentials, .invalidResponse])
        #expect(await outcome(authenticator, "p").hasPrefix("Your username"))
        #expect(authenticator.report == .init(unused: [.invalidCredentials, .invalidResponse]))
        #expect(await outcome(authenticator, "pritesh") == "The user credentials are invalid")
        #expect(authenticator.report.unused == [.invalidResponse])
    }

    @Test func `L3: another authenticator answers when none is left`() async {
        let other = ScriptedAuthenticator([.success()])
        let authenticator = ScriptedAuthenticator(otherwise: other)
        #expect(await outcome(authenticator, "pritesh") == "Hello pritesh")
        #expect(authenticator.report.unscripted == 1 && other.report.unscripted == 0)
    }
}
