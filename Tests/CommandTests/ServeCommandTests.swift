import Platform
import Testing
import Watchdog

/// How the command finds and runs the program that serves a store.
@Suite(.watched) struct ServeCommandTests {
    /// Writes a program that prints its path and its arguments, and ends with 7.
    private static func makeServer(in folder: String, of workplace: Workplace) throws {
        #expect(mkdir("\(workplace.folder)/\(folder)", 0o700) == 0)
        try workplace.write("#!/bin/sh\nprintf '%s\\n' \"$0\" \"$@\"\nexit 7\n", to: "\(folder)/profiles-server")
        #expect(chmod("\(workplace.folder)/\(folder)/profiles-server", 0o700) == 0)
    }

    @Test func `serve runs profiles-server of the PATH in its place, with all its options`() throws {
        let workplace = try Workplace()
        try Self.makeServer(in: "tools", of: workplace)
        let tools = "\(workplace.folder)/tools"
        let outcome = try workplace.profiles(
            "serve", "--port", "0", "--host-name", "a b", "--version", environment: ["PATH": "\(tools):/usr/bin:/bin"])
        #expect(outcome.status == 7)
        #expect(outcome.output == "\(tools)/profiles-server\n--port\n0\n--host-name\na b\n--version\n")
        #expect(outcome.error == "")
    }

    @Test func `a profiles-server beside the command comes before that of the PATH`() throws {
        let workplace = try Workplace()
        try Self.makeServer(in: "tools", of: workplace)
        try Self.makeServer(in: "bin", of: workplace)
        let linked = try workplace.shell(
            "ln '\(Workplace.binary())' bin/profiles 2> /dev/null || cp '\(Workplace.binary())' bin/profiles")
        try #require(linked.status == 0)
        let outcome = try workplace.run(
            ["\(workplace.folder)/bin/profiles", "serve"], input: "",
            environment: ["PATH": "\(workplace.folder)/tools:/usr/bin:/bin"])
        #expect(outcome.status == 7)
        #expect(outcome.output == "\(workplace.folder)/bin/profiles-server\n")
    }

    @Test(arguments: ["/usr/bin:/bin", "", ".:tools", "/nowhere"])
    func `without profiles-server, the error says how to get it`(path: String) throws {
        let workplace = try Workplace()
        try Self.makeServer(in: "tools", of: workplace)
        let outcome = try workplace.profiles("serve", "--port", "0", environment: ["PATH": path])
        #expect(outcome.status == 69)
        #expect(outcome.output == "")
        #expect(outcome.error.hasPrefix("Error: The program profiles-server is not installed"))
        #expect(outcome.error.contains("\"make server\"") && outcome.error.contains("Debian package profiles-server"))
    }

    @Test func `serve has its own help, which says where the program comes from`() throws {
        let workplace = try Workplace()
        try Self.makeServer(in: "tools", of: workplace)
        let help = try workplace.profiles("serve", "--help", environment: ["PATH": "\(workplace.folder)/tools"])
        #expect(help.status == 0 && help.output.contains("profiles serve"))
        #expect(help.output.contains("make server") && help.output.contains("profiles-server --help"))
    }
}
