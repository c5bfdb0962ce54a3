import ProfileCore
import ProfileStore
import ProfileTesting
import StoreFixtures
import Testing
import Watchdog

/// A registration that validates its draft by itself.
@Suite(.watched) struct DraftRegistrationTests {
    private let store: TemporaryStore

    init() throws { store = try TemporaryStore() }

    @Test func `a draft is validated by the rules in force, and all its issues are in the error`() async throws {
        let repository = try await store.open()
        #expect(try await repository.register(People.draft("abel")).revision == 1)
        var draft = People.draft("b", ["phone": "1"])
        draft["address"] = nil
        let error = await #expect(throws: ProfileStoreError.self) { try await repository.register(draft) }
        #expect(error?.code == .invalid && error?.kind == .invalid)
        let fields = error?.issues?.compactMap(\.field) ?? []
        #expect(Set(fields) == [.username, .phone, .address] as Set<FieldName>)
        #expect(try await repository.usernames() == ["abel"])
        await repository.close()
    }

    @Test func `rules that another process has adopted judge the draft, whether stricter or laxer`() async throws {
        let repository = try await store.open()
        let other = try await store.open()
        try await other.rules.adopt(People.standard(replacing: #""minLength":2"#, with: #""minLength":6"#))
        let error = await #expect(throws: ProfileStoreError.self) {
            try await repository.register(People.draft("abel"))
        }
        #expect(error?.issues?.map(\.field) == [.username])
        // The rules known here refuse the draft, but the rules in force accept it.
        try await other.rules.adopt(People.standard(replacing: #""minLength":2"#, with: #""minLength":1"#))
        #expect(try await repository.register(People.draft("b")).username == "b")
        #expect(try await repository.rules.versions().count == 3)
        for repository in [repository, other] { await repository.close() }
    }

    @Test func `a repeat with its key has the first outcome`() async throws {
        let repository = try await store.open()
        let first = try await repository.register(People.draft("abel"), key: WriteKey("k"))
        #expect(try await repository.register(People.draft("abel"), key: WriteKey("k")) == first)
        let error = await #expect(throws: ProfileStoreError.self) {
            try await repository.register(People.draft("abel"))
        }
        #expect(error?.kind == .conflict && error?.fields == [.username])
        await repository.close()
    }

    @Test func `each code has a kind, and each kind an error`() throws {
        let errors: [ProfileStoreError] = [
            .notFound(username: "a"), .duplicate([.username]), .staleRevision(expected: 1, current: 2),
            .invalidQuery([]), .keyReused(try #require(WriteKey("k"))), .busy(holder: nil, waited: .seconds(1)),
            .unavailable([.reported("a server")]), .outcomeUnknown(.reported("lost")), .readOnly("x"), .full("x"),
            .corrupt(.noSchema),
        ]
        let kinds = errors.map(\.kind) + [CredentialError.throttled(milliseconds: 1).kind]
        #expect(Set(kinds) == Set(ProfileStoreError.Kind.allCases))
        #expect(kinds.count == ProfileStoreError.Kind.allCases.count)
    }
}
