import ProfileCore
import ProfileStore
import ProfileTesting
import StoreFixtures
import Testing
import Watchdog

/// Many calls at once through several repositories. Each has its own connections, like a process.
@Suite(.onlyWithPostgres, .watched(for: .seconds(300))) struct RaceTests {
    /// Gives `body` so many repositories of one store.
    private func withRepositories(
        _ count: Int, of store: PostgresStore, _ change: (inout ProfileRepository.Options) -> Void = { _ in },
        _ body: ([ProfileRepository]) async throws -> Void
    ) async throws {
        var repositories: [ProfileRepository] = []
        for _ in 0..<count { repositories.append(try await store.open(change)) }
        try await body(repositories)
        for repository in repositories { await repository.close() }
    }

    @Test(arguments: ["known", "unknown"])
    func `P9, E1: of 200 attempts at once from three processes exactly five are hashed`(username: String) async throws {
        let store = try PostgresStore()
        let uri = try store.uri()
        try await withRepositories(1, of: store) { try await $0[0].register("known") }
        let processes = try [67, 67, 66].map {
            try ExerciserProcess("attempt", uri, username, String($0), program: "PostgresExerciser")
        }
        for process in processes { #expect(process.nextLine() == "ready") }
        // The processes begin when their input ends, so all of them begin at once.
        let lines = try await withThrowingTaskGroup(of: [String].self) { group in
            for process in processes {
                group.addTask {
                    let outcome = await process.finish()
                    try #require(outcome.code == 0, "\(outcome)")
                    return outcome.lines
                }
            }
            return try await group.reduce(into: []) { $0 += $1 }
        }
        #expect(Self.sum(of: "wrong ", in: lines) == 5)
        #expect(Self.sum(of: "throttled ", in: lines) == 195)
    }

    @Test func `R4: of several edits at once to one unique value, one succeeds and the others are duplicates`()
        async throws
    {
        let schema = try People.standard(and: People.uniqueEmail)
        let store = try PostgresStore()
        try await withRepositories(
            4, of: store, { $0.initialSchema = schema }
        ) { repositories in
            for writer in 0..<4 { try await repositories[0].register("writer\(writer)") }
            for round in 0..<20 {
                let outcomes = await withTaskGroup(of: ProfileStoreError.Code?.self) { group in
                    for (writer, repository) in repositories.enumerated() {
                        group.addTask {
                            await problem { try await repository.edit("writer\(writer)") { $0["email"] = "\(round)" } }?
                                .code
                        }
                    }
                    return await group.reduce(into: []) { $0.append($1) }
                }
                #expect(outcomes.count { $0 == nil } == 1)
                #expect(outcomes.count { $0 == .duplicate } == 3, "\(outcomes)")
            }
        }
    }

    private static func sum(of label: String, in lines: [String]) -> Int {
        lines.filter { $0.hasPrefix(label) }.reduce(0) { $0 + (Int($1.dropFirst(label.count)) ?? 0) }
    }

    @Test func `E1: adoptions beside 8 writers leave no row stored under rules that were not in force`() async throws {
        let store = try PostgresStore()
        // Each schema refuses the notes that the other one requires.
        let schemas = try ["b", "a"].map {
            try People.standard(and: #"{"name":"note","constraints":{"required":true,"pattern":"\#($0)+"}}"#)
        }
        try await withRepositories(5, of: store, { $0.initialSchema = schemas[1] }) { repositories in
            let ends = Counter()
            let stored = Counter()
            try await withThrowingTaskGroup { group in
                for writer in 0..<8 {
                    group.addTask {
                        let repository = repositories[writer % 4]
                        var count = 0
                        while ends.count == 0 {
                            do throws(ProfileStoreError) {
                                let note = repository.schema == schemas[1] ? "a" : "b"
                                if count.isMultiple(of: 3) {
                                    let draft = People.draft("w\(writer)n\(count)", ["note": note])
                                    _ = try await repository.register(try repository.judged(draft))
                                } else {
                                    let round = count
                                    _ = try await repository.edit("w\(writer)n\(round / 3 * 3)") { draft in
                                        draft["note"] = repository.schema == schemas[1] ? "a" : "b"
                                        draft["address"] = "\(round)"
                                    }
                                }
                                count += 1
                                stored.add()
                            } catch {
                                switch error.code {
                                // Other rules were adopted meanwhile.
                                case .schemaChanged, .invalid: continue
                                default: throw error
                                }
                            }
                        }
                    }
                }
                for version in 2...(Length.isLong ? 151 : 31) {
                    #expect(try await repositories[4].rules.adopt(schemas[version % 2]) == version)
                }
                // On a busy machine the adoptions may end before the writers have written much.
                try await waitUntil { stored.count >= 100 }
                ends.add()
                try await group.waitForAll()
            }
            #expect(stored.count >= 100)
            #expect(try await store.number("SELECT sum(revision)::bigint FROM profiles") == Int64(stored.count))
            // Versions with odd numbers want `a`.
            #expect(
                try await store.number(
                    "SELECT count(*) FROM profiles WHERE (note LIKE 'a%') <> (schema_version % 2 = 1)") == 0)
            print("Adoptions beside \(stored.count) writes")
        }
    }

    @Test func `R5: while several callers adopt at once, rules in force with a unique field have its index`()
        async throws
    {
        let store = try PostgresStore()
        let schemas = try [[], ["email"], ["nick"], ["email", "nick"]].map { names in
            let fields = names.map { #",{"name":"\#($0)","constraints":{"unique":true}}"# }.joined()
            let document = ProfileSchema.standard.document()
            return try ProfileSchema(parsing: document.dropLast(2) + fields + "]}")
        }
        try await withRepositories(4, of: store) { repositories in
            try await repositories[0].register("one")
            let ends = Counter()
            let adoptions = Counter()
            try await withThrowingTaskGroup { group in
                // One statement reads the rules and the indexes, so both are of the same moment.
                group.addTask {
                    while ends.count == 0 {
                        let missing = try await store.number(
                            """
                            SELECT count(*) FROM jsonb_array_elements((SELECT document::jsonb -> 'fields' FROM schemas
                                WHERE version = (SELECT schema_version FROM store))) AS field
                            WHERE field ->> 'name' IN ('email', 'nick')
                            AND NOT EXISTS (SELECT 1 FROM pg_index JOIN pg_attribute ON attrelid = indexrelid
                                WHERE indrelid = 'profiles'::regclass AND indisunique AND indisvalid
                                AND attname = coalesce(field -> 'profiles' ->> 'column', field ->> 'name'))
                            """)
                        #expect(missing == 0)
                    }
                }
                try await withThrowingTaskGroup { adopters in
                    for (adopter, repository) in repositories.enumerated() {
                        adopters.addTask {
                            for turn in 0..<10 {
                                do {
                                    _ = try await repository.rules.adopt(schemas[(adopter + turn) % schemas.count])
                                    adoptions.add()
                                } catch let error as ProfileStoreError where error.code == .busy {
                                    continue
                                }
                            }
                        }
                    }
                    try await adopters.waitForAll()
                }
                ends.add()
                try await group.waitForAll()
            }
            #expect(adoptions.count >= 10)
            print("\(adoptions.count) of 40 adoptions were not busy")
        }
    }

    @Test func `E5, R7: a watcher gets all changes of 16 writers without a gap, and in the order of each profile`()
        async throws
    {
        let writers = 16
        let rounds = Length.isLong ? 1_562 : 156
        let store = try PostgresStore()
        try await withRepositories(5, of: store, { $0.mostChanges = 1_000_000 }) { repositories in
            let total = writers * rounds * 4
            let watcher = Task {
                var seen: [Int64: [ProfileChange.Kind]] = [:]
                var last: Int64 = 0
                for try await change in await repositories[4].changes.stream(after: 0) {
                    #expect(change.number == last + 1)
                    last = change.number
                    seen[try #require(change.profileIDs).lowerBound, default: []].append(change.kind)
                    if last == total { break }
                }
                return seen
            }
            let clock = ContinuousClock()
            let start = clock.now
            let ids = try await withThrowingTaskGroup(of: [Int64].self) { group in
                for writer in 0..<writers {
                    group.addTask {
                        let repository = repositories[writer % 4]
                        var ids: [Int64] = []
                        for round in 0..<rounds {
                            let name = "w\(writer)r\(round)"
                            ids.append(try await repository.register(name).id)
                            _ = try await repository.edit(name) { $0["address"] = "1" }
                            // Another repository edits the profile too.
                            _ = try await repositories[(writer + 1) % 4].edit(name) { $0["address"] = "2" }
                            try await repository.remove(name)
                        }
                        return ids
                    }
                }
                return try await group.reduce(into: []) { $0 += $1 }
            }
            let seen = try await watcher.value
            print("\(total) changes in \(start.duration(to: clock.now))")
            #expect(Set(ids) == Set(seen.keys))
            #expect(seen.values.allSatisfy { $0 == [.registered, .edited, .edited, .removed] })
        }
    }
}
