import ProfileCore
import ProfileStore
import StoreFixtures
import Testing
import Watchdog

@testable import ProfileTransfer

@Suite(.watched) struct ImportDuplicateTests {
    private let folder: ImportFolder

    init() throws { folder = try ImportFolder() }

    private func club(_ text: String? = "username,email,level,note\nann,a@x,1,old\nbob,b@x,2,\n") async throws
        -> ProfileRepository
    {
        let repository = try await folder.store(schema: schemaOfClub())
        if let text { #expect(try await repository.importing(text).rejected == 0) }
        return repository
    }

    // MARK: Within the file

    @Test func `I4: the first valid row wins, and a later one names its line`() async throws {
        let text = "username,email,level\nann,,0\nAnn,a@x,1\n\nbob,,2\naNN,,3\ncid,a@x,4\nBOB,a@x,5\n"
        for run in [
            try await validating(text, schema: schemaOfClub()),
            try await club(nil).importing(text),
        ] {
            #expect(run.outcomes == [2, 0, 0, 4])
            #expect(
                run.lines == [
                    "2/1 level out_of_range", "6/4 username duplicate", "7/5 email duplicate",
                    "8/6 username duplicate", "8/6 email duplicate",
                ])
            let messages = run.issues.listed.map(\.issue.message).dropFirst()
            #expect(
                Array(messages) == [
                    "Username is the same as in line 3", "Email is the same as in line 3",
                    "Username is the same as in line 5", "Email is the same as in line 3",
                ])
        }
    }

    @Test func `I4: other fields than the username are compared as they are written`() async throws {
        let report = try await validating("username,email,level\nann,a@x,1\nbob,A@x,1\n", schema: schemaOfClub())
        #expect(report.outcomes == [2, 0, 0, 0])
    }

    // MARK: Against the store

    @Test func `I4: a stored profile is a duplicate, is skipped, or is updated, as the policy says`() async throws {
        let repository = try await club()
        let text = "username,email,level\nANN,a@x,7\ncid,,3\n"
        let rejected = try await repository.importing(text) { $0.isDryRun = true }
        #expect(rejected.outcomes == [1, 0, 0, 1])
        #expect(rejected.lines == ["2/1 username duplicate", "2/1 email duplicate"])
        #expect(rejected.issues.listed.first?.issue.message == "Username is taken")

        let skipped = try await repository.importing(text) { $0.duplicates = .skip }
        #expect(skipped.outcomes == [1, 0, 1, 0])
        #expect(try await repository.profile(username: "ann")?["level"] == "1")

        let updated = try await repository.importing(text) { $0.duplicates = .update }
        #expect(updated.outcomes == [0, 1, 1, 0])
        let ann = try #require(try await repository.profile(username: "ann"))
        #expect(ann.username == "ANN" && ann["level"] == "7" && ann["note"] == "old" && ann.revision == 2)
    }

    @Test func `I4: a row that is rejected as a duplicate takes none of its unique values`() async throws {
        let text = "username,email,level\nann,a@x,1\nbob,a@x,1\nbob,b@x,1\nANN,c@x,1\ncid,c@x,1\n"
        for run in [
            try await validating(text, schema: schemaOfClub()),
            try await club(nil).importing(text),
        ] {
            #expect(run.lines == ["3/2 email duplicate", "5/4 username duplicate"])
        }
    }

    @Test func `I4: the value of another unique field is a duplicate under every policy`() async throws {
        let repository = try await club()
        for policy in ImportOptions.DuplicatePolicy.allCases {
            let report = try await repository.importing("username,email,level\ncid,b@x,1\n") {
                $0.duplicates = policy
                $0.isDryRun = policy == .skip
            }
            #expect(report.outcomes == [0, 0, 0, 1])
            #expect(report.lines == ["2/1 email duplicate"])
        }
    }

    // MARK: Updates

    @Test func `I4: an update keeps fields without a column, and an empty cell clears an optional field`() async throws
    {
        let repository = try await club()
        let report = try await repository.importing("username,note,level\nann,,1\nbob,new,2\n") {
            $0.duplicates = .update
        }
        #expect(report.outcomes == [0, 2, 0, 0])
        let stored = try await repository.everything()
        #expect(stored["ann"] == ["username": "ann", "email": "a@x", "level": "1"])
        #expect(stored["bob"] == ["username": "bob", "email": "b@x", "level": "2", "note": "new"])
    }

    @Test func `I4: keys that only normalization would make equal are two profiles`() async throws {
        let schema = try ProfileSchema(
            parsing: """
                {"name": "names", "fields": [
                  {"name": "username", "constraints": {"required": true, "unique": true}},
                  {"name": "email", "constraints": {"unique": true}}, {"name": "note"}
                ]}
                """)
        let repository = try await folder.store(schema: schema)
        let names = ["zo\u{EB}", "zoe\u{308}"]
        let emails = ["caf\u{E9}@x", "cafe\u{301}@x"]
        func rows(_ note: String) -> String {
            "username,email,note\n" + zip(names, emails).map { "\($0),\($1),\(note) \($0.utf8.count)\n" }.joined()
        }
        #expect(try await repository.importing(rows("old")).outcomes == [2, 0, 0, 0])
        #expect(try await repository.importing(rows("new")) { $0.duplicates = .update }.outcomes == [0, 2, 0, 0])
        for name in names {
            let profile = try #require(try await repository.profile(username: name))
            #expect(profile.username.utf8.elementsEqual(name.utf8) && profile["note"] == "new \(name.utf8.count)")
        }
        #expect(try await repository.importing(rows("x")).lines.count == 4)
    }

    @Test func `I4: an update that empties a required field, or breaks a rule, is rejected`() async throws {
        let repository = try await club()
        let report = try await repository.importing("username,level,note\nann,,x\nbob,12,\ncid,,\n") {
            $0.duplicates = .update
        }
        #expect(report.outcomes == [0, 0, 0, 3])
        #expect(report.lines == ["2/1 level required", "3/2 level out_of_range", "4/3 level required"])
        #expect(try await repository.everything()["ann"]?["note"] == "old")
    }

    @Test func `I4: rows that lack required columns update profiles that have them`() async throws {
        let repository = try await club()
        let text = "username,note\nann,new\ncid,x\nbob,\nANN,twice\n"
        for isDryRun in [true, false] {
            let report = try await repository.importing(text) {
                $0.duplicates = .update
                $0.isDryRun = isDryRun
            }
            #expect(report.outcomes == [0, 1, 1, 2])
            #expect(report.lines == ["3/2 level required", "5/4 username duplicate"])
            #expect(report.issues.listed.last?.issue.message == "Username is the same as in line 2")
        }
        #expect(try await repository.profile(username: "ann")?["note"] == "new")
    }

    @Test func `I4: an unchanged row is skipped and keeps its revision`() async throws {
        let repository = try await club()
        let before = try await repository.statistics().changeNumber
        let report = try await repository.importing("username,email,level,note\nann,a@x,01,old\nbob, b@x ,2,\n") {
            $0.duplicates = .update
        }
        #expect(report.outcomes == [0, 0, 2, 0])
        #expect(try await repository.profile(username: "ann")?.revision == 1)
        #expect(try await repository.statistics().changeNumber == before, "nothing changed")
    }

    @Test func `I4: an update cannot take a unique value from another profile or row`() async throws {
        let repository = try await club()
        let text = "username,email,level\nann,b@x,1\nbob,c@x,2\ncid,b@x,3\ndan,c@x,3\n"
        for isDryRun in [true, false] {
            let report = try await repository.importing(text) {
                $0.duplicates = .update
                $0.isDryRun = isDryRun
            }
            // Bob gives b@x up in line 3, for Cid.
            #expect(report.outcomes == [1, 1, 0, 2], "\(report.lines)")
            #expect(report.lines == ["2/1 email duplicate", "5/4 email duplicate"])
        }
        #expect(try await repository.everything()["cid"]?["email"] == "b@x")
    }

    @Test func `I4: an update into an empty store treats a repeated name as a store with profiles would`() async throws
    {
        let text = "username,level\nann,1\nann,\n"
        let empty = try await club(nil).importing(text) { $0.duplicates = .update }
        #expect(empty.outcomes == [1, 0, 0, 1])
        let other = try ImportFolder()
        let used = try await other.store(schema: schemaOfClub())
        _ = try await used.importing("username,level\nzed,1\n")
        let report = try await used.importing(text) { $0.duplicates = .update }
        #expect(report.issues == empty.issues)
        #expect(report.outcomes == empty.outcomes)
    }
}
