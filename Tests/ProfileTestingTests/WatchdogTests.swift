import Dispatch
import Platform
import ProfileTesting
import Testing
import Watchdog

/// The watchdog ends tests that hang. The test starts this program again with such a test.
@Suite(.watched) struct WatchdogTests {
    @Test func `the watchdog names a test that hangs, and ends the process and its child processes`() throws {
        var ends: [Int32] = [0, 0]
        try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0)
        defer { close(ends[0]) }
        let process = try ChildProcess(
            ["/proc/self/exe", "--testing-library", "swift-testing", "--filter", "HangingTests"],
            environment: ["PROFILES_TEST_HANGS": "1", "SWIFT_BACKTRACE": "enable=no"],
            streams: [1: .descriptor(ends[1]), 2: .descriptor(ends[1])])
        close(ends[1])
        // Reads until the end of the file, which comes when no process has the other end open.
        var output: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 4_096)
        while case let count = read(ends[0], &chunk, chunk.count), count > 0 { output += chunk[..<count] }
        let text = String(decoding: output, as: UTF8.self)
        let test = #""nobody gives back what this waits for" (ProfileTestingTests/WatchdogTests.swift:"#
        #expect(text.contains("Watchdog: \(test)"), "\(text)")
        #expect(text.contains(") did not end within 1 s\n"), "\(text)")
        #expect(process.wait() == 128 + SIGABRT)
    }
}

/// Runs only in the process that the test above starts.
@Suite(.enabled(if: getenv("PROFILES_TEST_HANGS") != nil), .watched) struct HangingTests {
    @Test(.watched(for: .seconds(1))) func `nobody gives back what this waits for`() throws {
        let child = try ChildProcess(["/bin/sleep", "1000000"])
        DispatchSemaphore(value: 0).wait()
        child.wait()
    }
}
