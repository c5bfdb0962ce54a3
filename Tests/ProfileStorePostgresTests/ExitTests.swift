import Platform
import ProfileStore
import ProfileTesting
import StoreFixtures
import Testing
import Watchdog

/// Programs that end while their connections, which are TLS, are opened, used and closed. `PROFILES_TEST_LONG=1` runs
/// thousands of them.
@Suite(.onlyWithPostgres, .watched(for: .seconds(600))) struct ExitTests {
    private static let runs = runsLongImportTests ? 5_000 : 100

    @Test(arguments: ["closing", "leaving"])
    func `a program that ends while threads use OpenSSL does not crash`(way: String) async throws {
        try await expectEnds(of: "PostgresExerciser") { ["leave", $0, way] }
    }

    @Test(arguments: [["list"], ["export", "-"], ["token", "list"]])
    func `a command that reads a store over TLS does not crash at its end`(words: [String]) async throws {
        try await expectEnds(of: "profiles") { words + ["--quiet", "--database", $0] }
    }

    /// Runs a program again and again, and expects that each run ends with 0.
    private func expectEnds(of program: String, _ arguments: (_ uri: String) -> [String]) async throws {
        let store = try PostgresStore()
        try await store.open().close()
        let uri = try store.uri().replacing("sslmode=disable", with: "sslmode=require")
        let command = [try BuiltProgram.path(program)] + arguments(uri)
        var ends: [Int32: Int] = [:]
        for _ in 0..<Self.runs / 2 {
            // Two at once, for two cores.
            let pair = try (0..<2).map { _ in
                try ChildProcess(command, streams: [1: .file("/dev/null", flags: O_WRONLY)])
            }
            for process in pair { ends[await process.end(), default: 0] += 1 }
        }
        #expect(ends == [0: Self.runs])
    }
}
