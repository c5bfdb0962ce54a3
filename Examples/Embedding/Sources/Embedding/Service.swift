import Foundation
import ProfileCore
import ProfileStore
import ProfileStoreSQLite
import ProfileTransfer
import Synchronization

/// Shows what a service does with a store, step by step. It uses only the public declarations of the libraries.
struct Service: Sendable {
    let repository: ProfileRepository
    private static let guests = ProfileQuery([.init(.username, .hasPrefix("guest"))])

    /// Opens the store, and runs its housekeeping while the work runs. Closes the store when the work ends or fails.
    static func run(at path: String) async throws {
        let operations = Operations()
        var options = ProfileRepository.Options()
        options.observer = StoreObserver { operations.count($0) }
        let repository = try await ProfileRepository.open(at: path, options: options)
        try await withThrowingTaskGroup { group in
            group.addTask { try await repository.run() }
            try await Service(repository: repository).work()
            group.cancelAll()
        }
        print("observed:", operations[.register], "registrations and", operations[.verify], "passwords")
    }

    private func work() async throws {
        let watcher = Task { try await watch(until: .removed) }
        try await register()
        try await edit()
        try await registerTogether()
        try await importUpload()
        try await find()
        try await export()
        try await letIn()
        try await remove()
        print("watched:", try await watcher.value.joined(separator: " "))
    }

    /// Registers a profile from the body of a request, and answers with the profile or with its issues.
    private func register() async throws {
        for body in [
            #"{"username": "ann", "password": "Sunflower7", "phone": "78761241"}"#,
            #"{"username": "ann", "password": "Sunflower7", "phone": "78761241", "address": "4 Elm St"}"#,
        ] {
            let draft = try ProfileDraft(JSONValue(parsing: body))
            do {
                let valid = try repository.validator.validate(draft, on: repository.today)
                // If the client gets no answer, it repeats the request with the same key. The profile is stored once.
                let key = WriteKey("4f1d-register-ann", request: "POST /profiles")
                for _ in 1...2 {
                    let profile = try await repository.register(valid, by: Author("sign-up"), key: key)
                    print("201", profile.json.text().prefix(21))
                }
            } catch let error as ValidationFailure {
                print("422", JSONValue.array(error.issues.map { ReportedIssue($0, in: repository.schema).json }).text())
            }
        }
    }

    /// Changes a profile for a client that says which revision it has seen.
    private func edit() async throws {
        for revision: Int64 in [1, 1] {
            do throws(ProfileStoreError) {
                let edited = try await repository.edit("ann", expecting: revision) { $0[.postalCode] = "89761" }
                print("200 revision", edited.revision)
            } catch {
                guard let current = error.currentRevision else { throw error }
                print("412 it has revision", current)
            }
        }
    }

    /// Registers profiles for many concurrent requests. Their writes share commits, and each request gets its own
    /// answer.
    private func registerTogether() async throws {
        try await withThrowingTaskGroup { group in
            for number in 1...20 {
                let draft = ProfileDraft([
                    .username: "guest\(number)", .password: "Sunflower7", .phone: "78761241", .address: "12 Main St",
                ])
                let valid = try repository.validator.validate(draft, on: repository.today)
                group.addTask { try await repository.register(valid) }
            }
            try await group.waitForAll()
        }
        print("together:", try await repository.count(Self.guests))
    }

    private func remove() async throws {
        let report = try await repository.remove(matching: Self.guests, by: Author("night"))
        let ann = try await repository.remove("ann", expecting: nil, by: Author("ann"))
        print("removed:", report.removed, "guests and", ann.username)
    }

    /// Imports the body of a request as it comes, and sends the rejected rows back.
    private func importUpload() async throws {
        let body = AsyncStream<[UInt8]> { chunks in
            for text in ["username,password,phone,addr", "ess\nbob,Sunflower7,78761242,1 Oak St\n", "eve,x,1,\n"] {
                chunks.yield(Array(text.utf8))
            }
            chunks.finish()
        }
        let response = Response()
        let report = try await ProfileImporter(repository: repository)
            .run(ImportInput(body, name: "upload"), rejects: ChunkSink { response.write($0) })
        print("imported:", report.imported, "rejected:", report.rejected, "issues:", report.issues.total)
        print(response.text, terminator: "")
    }

    /// Exports every profile as a stream of chunks. A slow client does not delay other calls.
    private func export() async throws {
        var bytes: [UInt8] = []
        for try await chunk in repository.export(as: .ndjson) { bytes += chunk }
        print("exported:", bytes.count { $0 == UInt8(ascii: "\n") }, "lines")
    }

    /// Answers a search that comes as JSON, page by page.
    private func find() async throws {
        // The query sorts by username, because the guests were registered in no fixed order.
        let body = """
            {"conditions": [{"field": "username", "comparison": "is_at_least", "value": "guest5"}],
             "order": {"field": "username"}, "limit": 3}
            """
        var query = try ProfileQuery(JSONValue(parsing: body))
        let plan = try await repository.plan(of: query)
        print("served by", plan == .everything ? "a scan" : "an index")
        repeat {
            let page = try await repository.profiles(query)
            print("page:", page.profiles.map(\.username).joined(separator: " "))
            query.after = page.next
        } while query.after != nil
        do throws(ProfileStoreError) {
            _ = try await repository.profiles(ProfileQuery([.init("shoe_size", .isAtLeast("43"))]))
        } catch {
            if let issues = error.issues { print("400", JSONValue.array(issues.map(\.json)).text()) }
        }
    }

    /// Follows the changes of all processes until a change of the kind `last`, as a cache would. Returns their kinds.
    private func watch(until last: ProfileChange.Kind) async throws -> [String] {
        var kinds: [String] = []
        for try await change in await repository.changes.stream(after: 0) {
            if kinds.last != change.kind.rawValue { kinds.append(change.kind.rawValue) }
            if change.kind == last { break }
        }
        return kinds
    }

    /// Starts a session, resets the password, and shows that the reset has ended the session. Then creates an access
    /// token.
    private func letIn() async throws {
        let login = try await repository.sessions.start(Secret(Data("Sunflower7".utf8)), for: "ann")
        print("session of", try await repository.sessions.find(login.token)?.username ?? "no profile")
        let reset = try await repository.passwords.issueReset(of: "ann")
        _ = try await repository.passwords.redeemReset(reset.token, password: Secret("Marigold8"))
        print("session of", try await repository.sessions.find(login.token)?.username ?? "no profile")
        guard let name = AccountLabel("metrics") else { return }
        let token = try await repository.tokens.create(name, scopes: [.read])
        print("token of", try await repository.tokens.find(token.token)?.name.text ?? "no program")
    }
}

/// The body of an answer, kept here to be printed.
private final class Response: Sendable {
    private let bytes = Mutex<[UInt8]>([])
    var text: String { bytes.withLock { String(decoding: $0, as: UTF8.self) } }
    func write(_ chunk: [UInt8]) { bytes.withLock { $0 += chunk } }
}

/// Counts the operations on the store, as the metrics of a service would.
private final class Operations: Sendable {
    private let counts = Mutex<[StoreObserver.Operation.Name: Int]>([:])

    func count(_ operation: StoreObserver.Operation) { counts.withLock { $0[operation.name, default: 0] += 1 } }

    subscript(name: StoreObserver.Operation.Name) -> Int { counts.withLock { $0[name] ?? 0 } }
}
