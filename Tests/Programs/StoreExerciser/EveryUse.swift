import Platform
import ProfileCore
import ProfileStore
import ProfileStoreSQLite
import ProfileTransfer
import SecretHashing

/// Calls all operations of a store one after another. Their results and errors do not matter, as long as the process
/// does not crash.
struct EveryUse {
    let path: String
    /// Tokens of the store: a session token, an access token and a reset token.
    let tokens: [String]

    func run() async {
        var options = ProfileRepository.Options()
        options.waitLimit = .seconds(5)
        options.hashingThreads = 1
        options.opensUnfinishedCopy = true
        options.watchInterval = .milliseconds(1)
        if let repository = try? await ProfileRepository.open(at: path, options: options) {
            await look(repository)
            await copy(repository)
            await write(repository)
            await look(repository)
            await repository.close()
        }
        await replace(options)
        _ = try? await ProfileRepository.migrate(at: path, options: options)
    }

    private func attempt<Value>(_ body: () async throws -> Value?) async { _ = try? await body() }

    /// Renders the profile as text.
    private func tell(_ profile: Profile?) { _ = profile.map { ($0.json.text(), $0.createdAt.description) } }

    private func look(_ repository: ProfileRepository) async {
        await attempt { tell(try await repository.profile(username: "abel")) }
        for id in [0, 1, -1, .max, .min] as [Int64] { await attempt { tell(try await repository.profile(id: id)) } }
        for isReversed in [false, true] {
            for order in [nil, .init(.username), .init("phone")] as [ProfileQuery.Order?] {
                let query = ProfileQuery(order: order, isReversed: isReversed, limit: 1)
                await attempt { for try await profile in repository.all(query) { tell(profile) } }
            }
            for after in [nil, 0, 1, .max] as [Int64?] {
                var query = ProfileQuery(isReversed: isReversed)
                query.after = after.flatMap { ProfileCursor("\($0)") }
                await attempt { try await repository.page(of: query, lookingAt: 100) }
            }
        }
        for status in [.invalid, .unjudged] as [ProfileQuery.Status] {
            await attempt { try await repository.profiles(ProfileQuery(text: "a", status: status)) }
        }
        await attempt { try await repository.count(ProfileQuery(text: "a")) }
        await attempt { try await repository.rules.countUnjudged() }
        await attempt { try await repository.statistics() }
        await attempt { try await repository.check() }
        await attempt { try await repository.ping() }
        await attempt { try await repository.rules.versions().map { "\($0)" } }
        for start in [0, 1, -1, .min, .max - 1, .max] as [Int64] {
            // A stream of changes would wait for the next change.
            await attempt { try await repository.engine.changes(after: start, limit: 10).map { $0.json.text() } }
        }
        await attempt { try await repository.sessions.list().map { "\($0)" } }
        await attempt { try await repository.tokens.list().map { "\($0)" } }
        await attempt { try await repository.sessions.find(Secret(tokens[0])) }
        await attempt { try await repository.tokens.find(Secret(tokens[1])) }
        await attempt { try await repository.passwords.findReset(Secret(tokens[2])) }
        for format in [.csv, .ndjson] as [ExportFormat] {
            await attempt { try await repository.export(as: format, includingHashes: true).reduce(0) { $0 + $1.count } }
        }
        await attempt { try await repository.rules.revalidate(candidate: .standard, all: true).json.text() }
    }

    private func copy(_ repository: ProfileRepository) async {
        unlink(path + "-backup")
        await attempt { try await repository.backup(to: path + "-backup") }
        await attempt { try await StoreBackup(at: path + "-backup").restore(to: path + "-restored") }
        await attempt { try await StoreBackup(at: path + "-backup").restore(to: path + "-restored") }
        var options = ProfileRepository.Options()
        options.createsMissing = true
        options.opensUnfinishedCopy = true
        if let other = try? await ProfileRepository.open(at: path + "-copy", options: options) {
            await attempt { try await StoreCopy(from: repository, to: other).run() }
            await other.close()
        }
    }

    private func write(_ repository: ProfileRepository) async {
        let hash = StoreExerciser.weakHash
        func draft(_ name: String) -> ProfileDraft {
            ProfileDraft(["username": name, "phone": "78761241", "address": "0", "password_hash": hash])
        }
        func valid(_ name: String) throws -> ValidProfile {
            try repository.validator.validate(draft(name), on: repository.today)
        }
        let key = WriteKey("a-key", request: "")
        await attempt { try await repository.register(valid("bert"), key: key) }
        await attempt { try await repository.register(valid("bert"), key: key) }
        await attempt { try await repository.register(many: [try valid("carl"), try valid("dora")]) }
        for policy in [.skip, .update] as [ImportOptions.DuplicatePolicy] {
            await attempt {
                var options = ImportOptions()
                options.duplicates = policy
                let descriptor = open(path + ".csv", O_RDONLY | O_CLOEXEC)
                defer { close(descriptor) }
                let input = ImportInput(descriptor: descriptor, name: "rows.csv", byteCount: nil)
                return try await ProfileImporter(repository: repository, options: options).run(input)
            }
        }
        for name in ["abel", "nobody"] {
            await attempt { try await repository.passwords.validate(Secret("wrong1A"), for: name) }
        }
        await attempt { try await repository.unlock("abel") }
        await attempt { try await repository.passwords.validate(Secret("aK8oio"), for: "abel") }
        await attempt { try await repository.sessions.start(Secret("aK8oio"), for: "abel") }
        for token in [nil, tokens.first.map { Secret($0) }] {
            await attempt { try await repository.sessions.start(Secret("aK8oio"), for: "abel", on: token) }
        }
        await attempt { try await repository.devices.list(of: "abel") }
        await attempt { try await repository.sessions.start(vouchingFor: "abel") }
        await attempt { try await repository.passcodes.create(Secret("parislondon"), for: "abel") }
        await attempt { try await repository.passcodes.validate(Secret("parislondon"), for: "abel") }
        if let name = AccountLabel("other") {
            await attempt { try await repository.tokens.create(name, scopes: []) }
        }
        await attempt { try await repository.passwords.issueReset(of: "abel") }
        await attempt { try await repository.passwords.redeemReset(Secret(tokens[2]), password: Secret("aK8oiu")) }
        await attempt { try await repository.edit("abel") { $0["address"] = "2" } }
        await attempt { try await repository.rules.revalidate(all: true).json.text() }
        await attempt { try await repository.rules.adopt(.standard) }
        await attempt {
            let document = repository.schema.document().dropLast(2)
            return try await repository.rules.adopt(ProfileSchema(parsing: document + #",{"name":"extra"}]}"#))
        }
        await attempt { try await repository.remove("abel", key: WriteKey("another", request: "")) }
        await attempt { try await repository.remove(matching: ProfileQuery(text: "d")) }
        await attempt { try await repository.sessions.endAll(of: "bert") }
        await attempt { try await repository.removeIfUnused() }
    }

    /// Restores the store over a copy, and a sound backup over the store.
    private func replace(_ options: ProfileRepository.Options) async {
        for (backup, store) in [(path, path + "-restored"), (path + "-sound", path)] {
            await attempt { try await StoreBackup(at: backup, options: options).restore(to: store, options: options) }
        }
    }
}
