import Platform
import ProfileTesting
import Testing
import Threads
import Watchdog

@Suite(.watched) struct LockedTests {
    @Test func `an actor that resumes on its own thread unlocks what it locked, in optimised code`() throws {
        let folder = try TemporaryFolder("locked")
        let output = "\(folder.path)/output"
        let process = try ChildProcess(
            [try BuiltProgram.path("ThreadExerciser"), "10000"],
            streams: [1: .file(output, flags: O_WRONLY | O_CREAT)])
        #expect(process.wait() == 0)
        #expect(SmallFile.text(of: output) == "10000\n")
    }

    @Test func `an error of the body is thrown, and the value is unlocked again`() {
        struct Refusal: Error {}
        let number = Locked(1)
        #expect(throws: Refusal.self) { try number.withLock { _ in throw Refusal() } }
        #expect(number.withLock { $0 } == 1)
    }
}
