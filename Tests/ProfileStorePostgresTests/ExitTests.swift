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
        let store = try PostgresStore()
        try await store.open().close()
        let uri = try store.uri().replacing("sslmode=disable", with: "sslmode=require")
        let program = try BuiltProgram.path("PostgresExerciser")
        var ends: [Int32: Int] = [:]
        for _ in 0..<Self.runs / 2 {
            // Two at once, for two cores.
            let pair = [
                try ChildProcess([program, "leave", uri, way]), try ChildProcess([program, "leave", uri, way]),
            ]
            for process in pair { ends[await process.end(), default: 0] += 1 }
        }
        #expect(ends == [0: Self.runs])
    }
}
