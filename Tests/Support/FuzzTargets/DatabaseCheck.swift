internal import Platform
internal import ProfileCore
internal import ProfileStore
internal import ProfileStoreSQLite
internal import ProfileTesting
internal import ProfileTransfer
internal import SecretHashing
internal import Synchronization

/// Opens a store with mutated bytes, reads everything and writes. Each call must return or throw. If the repository's
/// `check()` reports no damage, both sort orders must contain the same profiles. The store must then also be sound
/// after the writes.
///
/// An input is a list of changes to the bytes of a small store (``StoreMutation``). So an input is short, and the
/// fuzzer mutates the changes and not the whole file.
struct DatabaseCheck {
    private let mutation: StoreMutation
    /// Whether the check also tries a wrong password, which takes a hash of 30 ms.
    private let triesPassword: Bool

    init(_ input: [UInt8]) {
        mutation = StoreMutation(input)
        triesPassword = input.count % 4 == 3
    }

    private static let folder = Mutex<TemporaryFolder?>(nil)

    /// Returns the path of the store's file. Every input overwrites this file.
    private static func path() throws -> String {
        try folder.withLock { folder in
            let kept = try folder ?? TemporaryFolder("profiles-fuzz")
            folder = kept
            return kept.path + "/store.sqlite"
        }
    }

    func run() async throws {
        let base = try await SampleStore.shared()
        let path = try Self.path()
        for end in ["", "-wal", "-shm", "-lock"] { unlink(path + end) }
        let (bytes, log) = mutation.applied(to: base)
        try SmallFile.write(bytes, to: path)
        if let log { try SmallFile.write(log, to: path + "-wal") }
        var options = ProfileRepository.Options()
        options.waitLimit = .seconds(5)
        options.hashingThreads = 1
        options.now = { ImportChoices.time }
        let repository: ProfileRepository
        do throws(ProfileStoreError) {
            repository = try await ProfileRepository.open(at: path, options: options)
        } catch {
            _ = "\(error)"
            return
        }
        let outcome: Result<Void, any Error>
        do { outcome = .success(try await use(repository)) } catch { outcome = .failure(error) }
        await repository.close()
        try outcome.get()
    }

    private func use(_ repository: ProfileRepository) async throws {
        let isSound = (try? await repository.check())?.isSound ?? false
        let byID = await identifiers(repository, ProfileQuery(limit: 2))
        let byName = await identifiers(repository, ProfileQuery(order: .init(.username), limit: 2))
        let count = try? await repository.count()
        if isSound {
            try require(byID != nil && byName != nil && count != nil, "a sound store cannot be read")
            try require(byID?.sorted() ?? [], is: byName?.sorted() ?? [], "the profiles of a sound store")
            try require(count ?? 0, is: byID?.count ?? 0, "the count of a sound store")
        }
        await look(repository)
        await write(repository)
        guard isSound, let after = try? await repository.check() else { return }
        try require(
            after.isSound, "writing breaks a sound store: \(after.integrity) \(after.wrongCounts) \(after.danglingRows)"
        )
    }

    private func identifiers(_ repository: ProfileRepository, _ query: ProfileQuery) async -> [Int64]? {
        var identifiers: [Int64] = []
        do { for try await profile in repository.all(query) { identifiers.append(profile.id) } } catch { return nil }
        return identifiers
    }

    private func attempt<Value>(_ body: () async throws -> Value) async { _ = try? await body() }

    private func look(_ repository: ProfileRepository) async {
        for name in ["abel", "nobody"] {
            await attempt { try await repository.profile(username: name).map { "\($0) \($0.json.text())" } }
        }
        await attempt { try await repository.profiles(ProfileQuery(text: "a", status: .unjudged)) }
        await attempt { try await repository.statistics() }
        await attempt { try await repository.rules.versions().map { "\($0)" } }
        await attempt { try await repository.engine.changes(after: 0, limit: 10).map { $0.json.text() } }
        await attempt { try await repository.sessions.list().map { "\($0)" } }
        await attempt { try await repository.tokens.list().map { "\($0)" } }
        for format in [.csv, .ndjson] as [ExportFormat] {
            await attempt {
                try await repository.export(as: format, includingHashes: true).reduce(0) { $0 + $1.count }
            }
        }
    }

    private func write(_ repository: ProfileRepository) async {
        await attempt { try await repository.register(ProfileDraft(SampleStore.person("zoe", "6"))) }
        await attempt { try await repository.edit("abel") { $0["note"] = "edited" } }
        if triesPassword {
            await attempt { try await repository.passwords.validate(Secret("wrong1A"), for: "abel") }
        }
        await attempt { try await repository.sessions.start(vouchingFor: "bert") }
        await attempt { try await repository.rules.revalidate(all: true).json.text() }
        await attempt {
            var options = ImportOptions()
            options.duplicates = .update
            let rows = "username,phone,note\nbert,0001-0001,imported\nyves,0001-0002,\n"
            return try await ProfileImporter(repository: repository, options: options)
                .run(ImportInput(bytes: Array(rows.utf8), name: "rows.csv"))
        }
        await attempt { try await repository.remove("cora") }
    }
}
