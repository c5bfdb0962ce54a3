import Platform
import ProfileTesting
import Testing
import Watchdog

/// R7, T2: `profiles watch`.
@Suite(.watched) struct WatchCommandTests {
    private let workplace: Workplace

    init() throws { workplace = try Workplace() }

    private func run(_ line: String) throws {
        let words = line.split(separator: " ").map(String.init)
        let outcome = try workplace.run([try Workplace.binary()] + words, input: "", environment: environment)
        guard outcome.status == 0 else { throw UnexpectedOutcome(outcome: outcome) }
    }

    /// Puts the sockets into the workplace, so that other tests and the folders of other users have no effect.
    private var environment: [String: String] { ["XDG_RUNTIME_DIR": workplace.folder] }

    @Test func `R7: watch shows the changes of other processes at once, one on a line, until Ctrl-C`() throws {
        try workplace.register("anna")
        let watch = try WatchProcess(workplace, "--since", "0", environment: environment)
        #expect(watch.nextLine()?.reproducible(workplace) == "1  TIME  registered  anna (id 1, now revision 1)")
        #expect(workplace.mode("profiles") == 0o700)
        try workplace.write(
            "username,password,phone,address\nbert,aK8oio,78761241,x\ncarl,aK8oio,78761241,x\n", to: "people.csv")
        try run("import people.csv --quiet")
        #expect(watch.nextLine()?.reproducible(workplace) == "2  TIME  imported    ids 2 to 3")
        try run("edit carl --phone 78761242 --quiet")
        #expect(watch.nextLine()?.reproducible(workplace) == "3  TIME  edited      carl (id 3, now revision 2)")
        try run("remove carl --yes --quiet")
        #expect(watch.nextLine()?.reproducible(workplace) == "4  TIME  removed     id 3")
        try workplace.write("username,phone,address\nbert,78761243,x\nanna,78761243,x\n", to: "people.csv")
        try run("import people.csv --on-duplicate update --quiet")
        #expect(watch.nextLine()?.reproducible(workplace) == "5  TIME  updated     some of ids 1 to 2")
        let schema = try workplace.profiles("schema", "show", "--format", "json").output
        try workplace.write(schema.replacing("\"maxLength\": 70", with: "\"maxLength\": 60"), to: "other.json")
        try run("schema adopt other.json --quiet --yes")
        #expect(watch.nextLine()?.reproducible(workplace) == "6  TIME  adopted     another schema")
        watch.send(SIGINT)
        #expect(watch.nextLine() == nil)
        #expect(watch.end() == 130)
        #expect(try workplace.read(".watch-error") == "")
        #expect(try workplace.names(in: "profiles") == [], "its socket is gone")
    }

    @Test func `R7: with --format json a change is one line with an object, and without --since watch begins now`()
        throws
    {
        try workplace.register("anna")
        let watch = try WatchProcess(workplace, "--format", "json", environment: environment)
        try watch.waitUntilItListens()
        try run("edit anna --phone 78761242 --quiet")
        let expected =
            #"{"number":2,"kind":"edited","first_profile_id":1,"last_profile_id":1,"key":"anna","#
            + #""revision":2,"changed_at":"TIME","author":null}"#
        #expect(watch.nextLine()?.reproducible(workplace) == expected)
        watch.send(SIGINT)
        #expect(watch.end() == 130)
    }

    @Test func `for a number that the store does not have, watch prints a change of the kind missed`() throws {
        try workplace.register("anna")
        let watch = try WatchProcess(workplace, "--since", "7", "--format", "json", environment: environment)
        let expected =
            #"{"number":1,"kind":"missed","first_profile_id":null,"last_profile_id":null,"key":null,"#
            + #""revision":null,"changed_at":null,"author":null}"#
        #expect(watch.nextLine() == expected)
        watch.send(SIGINT)
        #expect(watch.end() == 130)
    }

    @Test func `watch ends when its reader closes the pipe, also without a further change`() throws {
        try workplace.register("anna")
        let watch = try WatchProcess(workplace, "--since", "0", environment: environment)
        #expect(watch.nextLine() != nil)
        watch.stopReading()
        #expect(watch.end() == 141)
        #expect(try workplace.read(".watch-error") == "")
    }

    @Test func `T2: a change of a process with another runtime directory is shown within a second`() throws {
        try workplace.register("anna")
        let watch = try WatchProcess(workplace, "--since", "1", environment: environment)
        try watch.waitUntilItListens()
        let other = try workplace.profiles(
            "remove", "anna", "--yes", environment: ["XDG_RUNTIME_DIR": "/nowhere", "TMPDIR": workplace.folder])
        #expect(other.status == 0)
        #expect(watch.nextLine()?.reproducible(workplace) == "2  TIME  removed     id 1")
        watch.send(SIGINT)
        #expect(watch.end() == 130)
    }

    @Test(arguments: ["relative", "/nowhere"])
    func `T2: in place of an invalid runtime directory, the temporary directory is used`(runtime: String) throws {
        try workplace.register("anna")
        let temporary = workplace.folder + "/temporary"
        mkdir(temporary, 0o700)
        let watch = try WatchProcess(
            workplace, "--since", "0", environment: ["XDG_RUNTIME_DIR": runtime, "TMPDIR": temporary])
        #expect(watch.nextLine() != nil)
        #expect(workplace.mode("temporary/profiles-\(geteuid())") == 0o700)
        watch.send(SIGINT)
        #expect(watch.end() == 130)
    }
}

/// A running `profiles watch`.
final class WatchProcess {
    private let process: ChildProcess
    private let workplace: Workplace
    private var reader: Int32

    init(
        _ workplace: Workplace, _ arguments: String..., binary: String? = nil, environment: [String: String]
    ) throws {
        self.workplace = workplace
        let pipe = workplace.folder + "/.pipe"
        guard mkfifo(pipe, 0o600) == 0 else { throw SystemError("a pipe to read from") }
        // `O_NONBLOCK` opens the pipe without waiting for a writer. Later reads block again.
        reader = open(pipe, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        guard reader >= 0 else { throw SystemError("a pipe to read from") }
        process = try ChildProcess(
            [try binary ?? Workplace.binary(), "watch"] + arguments,
            environment: workplace.environment.merging(environment) { $1 }, folder: workplace.folder,
            streams: [
                0: .file("/dev/null", flags: O_RDONLY), 1: .file(pipe, flags: O_WRONLY),
                2: .file(workplace.folder + "/.watch-error", flags: O_RDWR | O_CREAT),
            ])
        _ = fcntl(reader, F_SETFL, 0)
    }

    deinit {
        process.send(SIGKILL)
        if reader >= 0 { close(reader) }
    }

    /// Waits for a line; nil at the end.
    func nextLine() -> String? {
        var bytes: [UInt8] = []
        var byte: UInt8 = 0
        while read(reader, &byte, 1) == 1 {
            if byte == UInt8(ascii: "\n") { return String(decoding: bytes, as: UTF8.self) }
            bytes.append(byte)
        }
        return nil
    }

    /// Waits until the socket exists. The command makes it before it reads the changes for the first time.
    func waitUntilItListens() throws {
        while try workplace.names(in: "profiles").allSatisfy({ $0.hasPrefix(".") }) { sched_yield() }
    }

    func stopReading() {
        close(reader)
        reader = -1
    }

    func send(_ signal: Int32) { process.send(signal) }

    func end() -> Int32 { process.wait() }
}

extension Workplace {
    /// Returns the names in a folder of the workplace, or none if the folder is missing.
    fileprivate func names(in name: String) throws -> [String] {
        try run(["/bin/sh", "-c", "ls -A '\(name)' 2>/dev/null; true"], input: "", environment: [:])
            .output.split(separator: "\n").map(String.init)
    }
}
