import Platform
import ProfileCore
import ProfileStore
import ProfileStoreSQLite
import ProfileTransfer
import SecretHashing

/// The steps that can be run on the store in a folder. The repository is opened by the first step that needs it.
final class StoreWork {
    private let folder: String
    private var path: String { "\(folder)/profiles.sqlite" }
    private var repository: ProfileRepository?
    private var session: Secret?
    private var reset: Secret?

    init(in folder: String) { self.folder = folder }

    enum Failure: Error { case unknownStep(String), missing(String) }

    func close() async {
        await repository?.close()
        repository = nil
    }

    /// Runs a step: a word, perhaps with arguments after colons.
    func run(_ step: String) async throws {
        let words = step.split(separator: ":").map(String.init)
        let name = words.count > 1 ? words[1] : "abel"
        switch words[0] {
        case "open": _ = try await opened()
        case "close": await close()
        case "create": repository = try await .open(at: path, options: options(createsMissing: true))
        case "register": _ = try await register(name)
        case "register-many":
            let repository = try await opened()
            let profiles = try (0..<5).map { try repository.validator.validate(draft("\(name)\($0)"), on: today) }
            _ = try await repository.register(many: profiles)
        case "register-once":
            let repository = try await opened()
            let profile = try repository.validator.validate(draft(name), on: today)
            let key = WriteKey("key-\(name)", request: "")
            for _ in 0..<2 { _ = try await repository.register(profile, key: key) }
        case "edit": _ = try await opened().edit(name) { $0["address"] = words.count > 2 ? words[2] : "elsewhere" }
        case "remove": try await opened().remove(name)
        case "merge":
            let repository = try await opened()
            guard words.count > 2, let kept = try await repository.profile(username: name),
                let other = try await repository.profile(username: words[2])
            else { throw Failure.missing(step) }
            _ = try await repository.merge(other, into: kept, with: other.draft)
        case "adopt", "adopt-unique":
            let repository = try await opened()
            let constraint = words[0] == "adopt" ? "" : #","constraints":{"unique":true}"#
            let document = repository.schema.document().dropLast(2) + #",{"name":"\#(name)"\#(constraint)}]}"#
            try await repository.rules.adopt(ProfileSchema(parsing: String(document)))
        case "revalidate": _ = try await opened().rules.revalidate(all: true)
        case "check":
            guard try await opened().check().isSound else { throw Failure.missing("a sound store") }
        // The process ends as if it was killed.
        case "die": kill(getpid(), SIGKILL)
        case "read": _ = try await opened().profiles(ProfileQuery(limit: 1_000))
        default: try await runOnSecrets(words[0], name, words)
        }
    }

    private func runOnSecrets(_ step: String, _ name: String, _ words: [String]) async throws {
        switch step {
        case "passcode": try await opened().passcodes.create(Secret("parislondon"), for: name)
        case "passcode-edit":
            try await opened().passcodes.edit(from: Secret("parislondon"), to: Secret("romeathens"), for: name)
        case "passcode-remove": try await opened().passcodes.remove(of: name)
        case "wrong":
            let passwords = try await opened().passwords
            do throws(CredentialError) { _ = try await passwords.validate(Secret("wrong1A"), for: name) } catch .wrong {
            }
        case "login": _ = try await opened().passwords.validate(Secret("aK8oio"), for: name)
        case "session": session = try await opened().sessions.start(Secret("aK8oio"), for: name).token
        case "session-find":
            guard let session, try await opened().sessions.find(session) != nil else { throw Failure.missing(step) }
        case "session-end":
            guard let session, try await opened().sessions.end(for: session) != nil else { throw Failure.missing(step) }
        case "token":
            guard let label = AccountLabel(name) else { throw Failure.missing(name) }
            _ = try await opened().tokens.create(label, scopes: [])
        case "token-revoke":
            let tokens = try await opened().tokens
            guard let token = try await tokens.list().first else { throw Failure.missing(step) }
            try await tokens.revoke(token.id)
        case "reset": reset = try await opened().passwords.issueReset(of: name).token
        case "redeem":
            guard let reset else { throw Failure.missing(step) }
            _ = try await opened().passwords.redeemReset(reset, password: Secret("aK8oiu"))
        default: try await runOnFiles(step, name, words)
        }
    }

    private func runOnFiles(_ step: String, _ name: String, _ words: [String]) async throws {
        switch step {
        case "migrate": _ = try await ProfileRepository.migrate(at: path, options: options())
        case "backup": try await opened().backup(to: "\(folder)/backup.sqlite")
        case "restore":
            let backup = try await StoreBackup(at: "\(folder)/backup.sqlite", options: options())
            try await backup.restore(to: path, options: options())
        case "import": try await importFile(named: name, Set(words.dropFirst(2)))
        default: throw Failure.unknownStep(step)
        }
    }

    /// Imports a file of the folder. The words say how.
    private func importFile(named name: String, _ words: Set<String>) async throws {
        var options = ImportOptions()
        if words.contains("skip") { options.duplicates = .skip }
        if words.contains("update") { options.duplicates = .update }
        options.isExclusive = words.contains("exclusive")
        options.isAllOrNothing = words.contains("all-or-nothing")
        options.temporaryFolder = folder
        if words.contains("first") {
            // As the command does for an import that may create its store.
            var storeOptions = self.options(createsMissing: true)
            storeOptions.isUnreadUntilLoaded = true
            repository = try await .open(at: path, options: storeOptions)
        }
        let descriptor = Platform.open("\(folder)/\(name)", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw ImportError.opening(code: errno) }
        defer { Platform.close(descriptor) }
        let input = ImportInput(descriptor: descriptor, name: name, byteCount: nil)
        _ = try await ProfileImporter(repository: opened(), options: options).run(input)
    }

    private func opened() async throws -> ProfileRepository {
        if let repository { return repository }
        let opened = try await ProfileRepository.open(at: path, options: options())
        repository = opened
        return opened
    }

    private func register(_ name: String) async throws -> Profile {
        let repository = try await opened()
        return try await repository.register(repository.validator.validate(draft(name), on: today))
    }

    /// The time of every step: 2026-01-01.
    private static let time = Timestamp(millisecondsSince1970: 1_767_225_600_000)
    private var today: CalendarDay { Self.time.day ?? .latest }

    private func options(createsMissing: Bool = false) -> ProfileRepository.Options {
        var options = ProfileRepository.Options()
        options.createsMissing = createsMissing
        options.command = "exerciser"
        options.waitLimit = .seconds(5)
        options.hashingThreads = 1
        options.now = { Self.time }
        return options
    }

    private func draft(_ name: String) -> ProfileDraft {
        // A weak hash of `aK8oio`, so that checking it costs next to nothing.
        let hash = "$argon2id$v=19$m=8,t=1,p=1$x6KV7hY0lqmDzqg8SXGz4A$zXpdekayZS4A3z2N/dAfRIcKF8U94zGuyyN/CCZNJVo"
        return ProfileDraft(["username": name, "phone": "78761241", "address": "0", "password_hash": hash])
    }
}
