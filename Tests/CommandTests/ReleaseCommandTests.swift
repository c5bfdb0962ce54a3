import Platform
import ProfileTesting
import Testing
import Watchdog

/// The command as it is shipped, without traits.
@Suite(.enabled(if: getenv("PROFILES_TEST_RELEASE") != nil, "make test-release runs it."), .watched)
struct ReleaseCommandTests {
    private static func command() throws -> String { try #require(BuiltProgram.releaseCommand) }

    @Test func `T3: the shipped command ignores scenarios and has none`() throws {
        let command = try Self.command()
        let workplace = try Workplace()
        let flag = [
            "TestLauncher-testing": "1", "TestLauncher-VC": "LoginViewController", "TestLauncher-model": "LoginModel1",
            "TestLauncher-control": workplace.folder + "/control",
        ]
        func run(_ arguments: String..., environment: [String: String] = [:]) throws -> Workplace.Outcome {
            try workplace.run([command] + arguments, input: "", environment: environment)
        }
        // Without a subcommand it shows its help.
        let overview = try run(environment: flag)
        #expect(overview.status == 0 && overview.output.contains("USAGE: profiles <subcommand>"))
        #expect(SmallFile.names(in: workplace.folder).allSatisfy { $0 == ".input" })
        #expect(try run("scenarios").status == 64)
        #expect(try run("--version", environment: flag) == run("--version"))
        #expect(try !run("--help").output.contains("scenarios"))
        // The program does not even contain the names of the variables.
        let search = try workplace.run(["/bin/grep", "-c", "TestLauncher", command], input: "", environment: [:])
        #expect(search.output == "0\n")
    }

    @Test func `E7: without the trait, a PostgreSQL store is refused as not supported, and libpq is not linked`() throws
    {
        let workplace = try Workplace()
        try workplace.register("anna")
        for arguments in [
            ["list", "--database", "postgresql://app@127.0.0.1:1/profiles"],
            ["copy", "store.sqlite", "postgres://h/d"],
        ] {
            let outcome = try workplace.run(
                [try Self.command()] + arguments, input: "", environment: [:])
            #expect(outcome.status == 78, "\(outcome)")
            #expect(outcome.error.hasPrefix("Error: This build of profiles does not support PostgreSQL\n"))
        }
        let linked = try workplace.shell("ldd \(try Self.command())")
        #expect(linked.status == 0)
        #expect(!linked.output.contains("libpq"))
        #expect(SmallFile.names(in: workplace.folder).allSatisfy { !$0.contains("postgres") })
    }
}
