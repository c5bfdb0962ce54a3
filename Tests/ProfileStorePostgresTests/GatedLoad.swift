import ProfileCore
import ProfileStore
import ProfileTesting
import StoreFixtures
import Synchronization

/// A bulk load that waits in its middle until the test lets it go on.
final class GatedLoad: BulkLoad {
    let gate = Gate()
    let takesUsedStore = false
    let knowsNewRows = true
    private let parts: Mutex<ArraySlice<ValidProfiles>>
    private let schema: ProfileSchema

    /// - Parameters:
    ///   - names: The usernames. Half of them are loaded before the wait.
    ///   - repository: The repository whose rules judge the profiles.
    /// - Throws: `invalid` where they break the rules.
    init(_ names: [String], for repository: ProfileRepository) throws {
        let schema = repository.schema
        self.schema = schema
        let valid = try names.map { try repository.judged(People.draft($0)) }
        let half = names.count / 2
        parts = Mutex(
            [Array(valid[..<half]), Array(valid[half...])].map { ValidProfiles(joining: $0, of: schema) }[...])
    }

    /// Loads into a store.
    func run(in repository: ProfileRepository) async throws(ProfileStoreError) -> BulkLoadOutcome {
        try await repository.engine.load(self, judgedBy: schema, repository.stamp(nil))
    }

    func mayBegin(_ areStored: ([String]) throws -> [Bool]) throws -> Bool { true }

    func nextNewRows() -> NewRows? {
        let (rows, left) = parts.withLock { ($0.popFirst(), $0.count) }
        if rows != nil, left == 0 { gate.pass() }
        return rows.map { NewRows(rows: $0, new: Array(0..<$0.count)) }
    }

    func nextBatch() -> NoBatch? { nil }

    func take(_ batch: NoBatch) {}

    func mayStay() -> Bool { true }

    /// The load has new rows only, so it has no batch.
    struct NoBatch: ImportBatch {
        let rows: ValidProfiles
        let wantsStoredProfiles = false
        var isOnOneMachine = false

        mutating func next(after outcome: ImportStep.Outcome) -> ImportStep { .end }
    }
}
