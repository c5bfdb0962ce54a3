import Dispatch
import Platform
import ProfileCore
import ProfileStore
import ProfileStoreSQLite
import ProfileTesting
import SQLiteAccess
import SecretHashing
import StoreFixtures
import Synchronization
import Testing
import Watchdog

@testable import ProfileTransfer

@Suite(.watched) struct ImportPasswordTests {
    private let folder: ImportFolder

    init() throws { folder = try ImportFolder() }

    private static let rest = "78761241,12 Main St"
    private static let header = "username,password,phone,address\n"

    private func login(_ username: String, _ password: String, _ repository: ProfileRepository) async throws
        -> PasswordHash?
    {
        try await repository.storedHash(of: username).flatMap { try PasswordHash(parsing: $0.utf8Span.span) }
    }

    private func matches(_ password: String, _ username: String, in repository: ProfileRepository) async throws -> Bool
    {
        let hash = try await login(username, password, repository)
        return try await repository.hasher.verify(Secret(password), against: hash) != .wrong
    }

    @Test func `I9: plaintext passwords are hashed, once each, with progress`() async throws {
        let repository = try await folder.store()
        let rows = (0..<12).map { "user\($0),Geheim\($0),\(Self.rest)\n" }.joined()
        let told = Told()
        let input = try unnamedFile(Array((Self.header + rows).utf8))
        let report = try await ProfileImporter(repository: repository).run(
            ImportInput(descriptor: input, name: "x", byteCount: nil)
        ) { told.add($0) }
        #expect(report.outcomes == [12, 0, 0, 0])
        #expect(repository.hasher.argon2Runs == 12)
        // A last report follows when the batch is stored.
        #expect(told.hashed == Array(1...12).map { [$0, 12] } + [[12, 12]])
        #expect(try await matches("Geheim7", "user7", in: repository))
        #expect(try await !matches("Geheim8", "user7", in: repository))
        #expect(try await repository.statistics().withPassword == 12)
    }

    @Test func `I9: a row has a password or a hash, not both`() async throws {
        let repository = try await folder.store()
        let report = try await repository.importing(
            """
            username,password,password_hash,phone,address
            ann,Geheim7,"\(broughtHash)",\(Self.rest)
            bob,,"\(broughtHash)",\(Self.rest)
            cid,Geheim7,,\(Self.rest)
            dan,,,\(Self.rest)
            eve,,"$argon2id$v=19$m=4194304,t=1,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc",\(Self.rest)

            """)
        #expect(report.lines == ["2/1 row bad_row", "5/4 password required", "6/5 password unsupported_hash"])
        #expect(report.outcomes == [2, 0, 0, 3])
        #expect(repository.hasher.argon2Runs == 1)
        #expect(try await login("bob", "", repository)?.text == broughtHash)
    }

    @Test func `I9: the passwords of rejected and skipped rows are not hashed`() async throws {
        let repository = try await folder.store()
        _ = try await repository.importing(Self.header + "ann,Geheim1,\(Self.rest)\n")
        let text =
            Self.header + "ann,Geheim2,\(Self.rest)\n" + "bob,Geheim3,\(Self.rest)\n" + "BOB,Geheim4,\(Self.rest)\n"
            + "cid,Geheim5,787,12 Main St\n"
        for (policy, expected) in [(ImportOptions.DuplicatePolicy.reject, [1, 0, 0, 3]), (.skip, [0, 0, 2, 2])] {
            let before = repository.hasher.argon2Runs
            let report = try await repository.importing(text) { $0.duplicates = policy }
            #expect(report.outcomes == expected, "\(report.lines)")
            #expect(repository.hasher.argon2Runs - before == expected[0])
        }
        #expect(try await matches("Geheim1", "ann", in: repository))
        #expect(try await matches("Geheim3", "bob", in: repository))
    }

    @Test func `I9: a name that came in an earlier batch is not hashed again`() async throws {
        let repository = try await folder.store()
        let bad = (0..<6_000).map { "x\($0),,7,\n" }.joined()
        let text = Self.header + "ann,Geheim1,\(Self.rest)\n" + bad + "ANN,Geheim2,\(Self.rest)\n"
        let report = try await repository.importing(text)
        #expect(report.outcomes == [1, 0, 0, 6_001])
        #expect(repository.hasher.argon2Runs == 1)
        #expect(report.issues.issueCounts.contains { $0.code == "duplicate" && $0.count == 1 })
    }

    @Test func `I6: a dry run hashes nothing`() async throws {
        let repository = try await folder.store()
        _ = try await repository.importing(Self.header + "ann,Geheim1,\(Self.rest)\n")
        let before = repository.hasher.argon2Runs
        let text = Self.header + "ann,Geheim2,\(Self.rest)\nbob,Geheim3,\(Self.rest)\n"
        let report = try await repository.importing(text) {
            $0.isDryRun = true
            $0.duplicates = .update
        }
        #expect(report.outcomes == [1, 1, 0, 0])
        #expect(repository.hasher.argon2Runs == before)
    }

    @Test func `I4: an update takes a new password, and leaves it where the cell is empty`() async throws {
        let repository = try await folder.store()
        _ = try await repository.importing(
            Self.header + "ann,Geheim1,\(Self.rest)\nbob,Geheim2,\(Self.rest)\ncid,Geheim3,\(Self.rest)\n")
        let before = repository.hasher.argon2Runs
        let text =
            Self.header + "ann,Geheim9,\(Self.rest)\nbob,,87654321,12 Main St\ncid,,\(Self.rest)\ndan,,\(Self.rest)\n"
        for isDryRun in [true, false] {
            let report = try await repository.importing(text) {
                $0.duplicates = .update
                $0.isDryRun = isDryRun
            }
            #expect(report.outcomes == [0, 2, 1, 1])
            #expect(report.lines == ["5/4 password required"])
        }
        #expect(repository.hasher.argon2Runs - before == 1)
        #expect(try await matches("Geheim9", "ann", in: repository))
        #expect(try await matches("Geheim2", "bob", in: repository))
        #expect(try await repository.profile(username: "bob")?["phone"] == "8765-4321")
        #expect(try await repository.profile(username: "cid")?.revision == 1)
    }

    @Test func `I4: an update with names and passwords alone takes the passwords`() async throws {
        let repository = try await folder.store()
        _ = try await repository.importing(Self.header + "ann,Geheim1,\(Self.rest)\n")
        let before = repository.hasher.argon2Runs
        let text = "username,password\nann,Geheim9\nbob,Geheim8\nANN,Geheim7\n"
        for isDryRun in [true, false] {
            let report = try await repository.importing(text) {
                $0.duplicates = .update
                $0.isDryRun = isDryRun
            }
            #expect(report.outcomes == [0, 1, 0, 2], "\(report.lines)")
            #expect(report.lines.last == "4/3 username duplicate")
        }
        #expect(repository.hasher.argon2Runs - before <= 2, "nobody's password is hashed who is not there")
        #expect(try await matches("Geheim9", "ann", in: repository))
    }

    @Test func `I4: an update with names and hashes alone takes the hashes, and skips equal ones`() async throws {
        let repository = try await folder.store()
        _ = try await repository.importing(Self.header + "ann,Geheim1,\(Self.rest)\nbob,Geheim2,\(Self.rest)\n")
        let text = "username,password_hash\nann,\"\(broughtHash)\"\n"
        for expected in [[0, 1, 0, 0], [0, 0, 1, 0]] {
            for isDryRun in [true, false] {
                let report = try await repository.importing(text) {
                    $0.duplicates = .update
                    $0.isDryRun = isDryRun
                }
                #expect(report.outcomes == expected, "dry run: \(isDryRun)")
            }
        }
        #expect(try await login("ann", "", repository)?.text == broughtHash)
        #expect(try await repository.profile(username: "ann")?.revision == 2)

        let whole =
            "username,password_hash,phone,address\nann,\"\(broughtHash)\",\(Self.rest)\nbob,\"\(otherBroughtHash)\",\(Self.rest)\n"
        let report = try await repository.importing(whole) { $0.duplicates = .update }
        #expect(report.outcomes == [0, 1, 1, 0])
        let refused = try await repository.importing("username,password_hash\nann,$5$no\n") { $0.duplicates = .update }
        #expect(refused.outcomes == [0, 0, 0, 1])
        #expect(refused.lines.contains("2/1 password unsupported_hash"))
    }

    @Test func `I9: an exclusive import hashes before it takes the lock, and stores all in one commit`() async throws {
        let repository = try await folder.store()
        let before = try await repository.statistics().changeNumber
        let rows = (0..<6).map { "user\($0),Geheim\($0),\(Self.rest)\n" }.joined()
        let report = try await repository.importing(Self.header + rows + "USER1,Geheim7,\(Self.rest)\n") {
            $0.isExclusive = true
        }
        #expect(report.outcomes == [6, 0, 0, 1])
        #expect(try await repository.statistics().changeNumber == before + 1)
        #expect(repository.hasher.argon2Runs == 6)
        #expect(try await matches("Geheim5", "user5", in: repository))
    }

    private static func rows(_ count: Int) -> String {
        (0..<count).map { "user\($0),Geheim\($0),\(rest)\n" }.joined()
    }

    @Test func `I9: an exclusive import reads a pipe too, and keeps an unreadable copy`() async throws {
        let repository = try await folder.store()
        let text =
            Self.header + "ann,,787,\n" + Self.rows(6) + "USER1,Geheim7,\(Self.rest)\n"
            + (0..<5_000).map { "x\($0),,7,\n" }.joined() + "User2,Geheim7,\(Self.rest)\nzoe,Geheim8,\(Self.rest)\n"
        let copies = Copies()
        let rejects = try unnamedFile()
        let report = try await ProfileImporter(
            repository: repository,
            options: importOptions {
                $0.isExclusive = true
                $0.temporaryFolder = folder.path
            }
        ).run(ImportInput(descriptor: try Self.pipe(text), name: "-", byteCount: nil), rejects: rejects) {
            if $0.hashed != nil { copies.look(in: folder) }
        }
        #expect(report.outcomes == [7, 0, 0, 5_003])
        #expect(repository.hasher.argon2Runs == 7, "a name that came in an earlier batch is not hashed again")
        #expect(try await repository.profiles(ProfileQuery()).profiles.map(\.username).suffix(2) == ["user5", "zoe"])
        #expect(try await matches("Geheim5", "user5", in: repository))
        #expect(try await matches("Geheim8", "zoe", in: repository))
        #expect(String(decoding: importedBytes(of: rejects), as: UTF8.self).split(separator: "\n").count == 5_004)
        let seen = copies.seen
        #expect(!seen.isEmpty && seen.allSatisfy { $0.count == text.utf8.count })
        #expect(seen.allSatisfy { !String(decoding: $0, as: UTF8.self).contains("user") })
        #expect(folder.names.filter { $0.hasPrefix("profiles-") } == [], "it has no name")
    }

    @Test(.onlyOnSQLite("writes to the tables directly"))
    func `I9: an exclusive import also hashes passwords that are needed only after it has the lock`() async throws {
        let repository = try await folder.store()
        _ = try await repository.importing(Self.header + "ann,Geheim1,\(Self.rest)\n")
        let before = repository.hasher.argon2Runs
        let path = try DatabasePath(repository.place)
        let input = try unnamedFile(Array((Self.header + "ann,Geheim2,\(Self.rest)\n" + Self.rows(3)).utf8))
        let report = try await ProfileImporter(
            repository: repository,
            options: importOptions {
                $0.isAllOrNothing = true
                $0.duplicates = .skip
            }
        ).run(ImportInput(descriptor: input, name: "x", byteCount: nil)) { progress in
            // While the first passwords are hashed the lock is free, and Ann is removed.
            guard progress.hashed?.done == 1, progress.hashed?.total == 3 else { return }
            let connection = try? Connection(path, mode: .readWrite)
            try? connection?.execute("DELETE FROM profiles WHERE username = 'ann'")
        }
        #expect(report.outcomes == [4, 0, 0, 0], "\(report.lines)")
        #expect(repository.hasher.argon2Runs - before == 4)
        #expect(try await matches("Geheim2", "ann", in: repository))
        #expect(try await matches("Geheim2", "user2", in: repository))
    }

    @Test(.onlyOnSQLite("writes to the tables directly"))
    func `I9: an exclusive update of passwords alone hashes only the passwords of stored profiles`() async throws {
        let repository = try await folder.store()
        _ = try await repository.importing(Self.header + "ann,Geheim1,\(Self.rest)\n")
        let before = repository.hasher.argon2Runs
        let path = try DatabasePath(repository.place)
        let input = try unnamedFile(Array("username,password\nann,Geheim9\nbob,Geheim8\ncid,Geheim7\n".utf8))
        let report = try await ProfileImporter(
            repository: repository,
            options: importOptions {
                $0.isExclusive = true
                $0.duplicates = .update
            }
        ).run(ImportInput(descriptor: input, name: "x", byteCount: nil)) { progress in
            // Bob is added meanwhile.
            guard progress.hashed?.total == 1 else { return }
            let connection = try? Connection(path, mode: .readWrite)
            try? connection?.execute(
                """
                INSERT INTO profiles (id, revision, created_at, updated_at, schema_version, username, phone, address)
                VALUES (77, 1, 0, 0, 1, 'bob', '7876-1241', '12 Main St')
                """)
        }
        #expect(report.outcomes == [0, 2, 0, 1], "\(report.lines)")
        #expect(repository.hasher.argon2Runs - before == 2)
        #expect(try await matches("Geheim9", "ann", in: repository))
        #expect(try await matches("Geheim8", "bob", in: repository))
    }

    @Test func `I9: an input that changes while its passwords are hashed is not stored`() async throws {
        let repository = try await folder.store()
        let text = Self.header + Self.rows(3)
        let input = try unnamedFile(Array(text.utf8))
        await #expect(throws: ImportError.inputChanged) {
            try await ProfileImporter(repository: repository, options: importOptions { $0.isExclusive = true }).run(
                ImportInput(descriptor: input, name: "x", byteCount: nil)
            ) { progress in
                guard progress.hashed?.done == 1 else { return }
                let other = Array(text.replacing("Geheim1", with: "Anders1").utf8)
                pwrite(input, other, other.count, 0)
            }
        }
        #expect(try await repository.statistics().profiles == 0)
    }

    @Test func `I7: all or nothing with passwords is nothing when a row is rejected`() async throws {
        let repository = try await folder.store()
        let report = try await repository.importing(Self.header + Self.rows(3) + "bob,Geheim1,7,\n") {
            $0.isAllOrNothing = true
        }
        #expect(report.outcomes == [0, 0, 3, 1])
        #expect(report.earlyEnd == .nothingStored)
        #expect(try await repository.statistics().profiles == 0)
    }

    /// The reading end of a pipe that a text comes through.
    private static func pipe(_ text: String) throws -> Int32 {
        var ends: [Int32] = [-1, -1]
        try #require(Platform.pipe(&ends) == 0)
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        let writing = ends[1]
        DispatchQueue.global().async {
            var rest = Array(text.utf8)[...]
            while case let count = rest.withUnsafeBytes({ write(writing, $0.baseAddress, $0.count) }), count > 0 {
                rest = rest.dropFirst(count)
            }
            close(writing)
        }
        return ends[0]
    }

    @Test(.onlyOnSQLite("writes to the tables directly"))
    func `I4, I9: if a profile is removed during its import, its row is stored with the password`() async throws {
        let repository = try await folder.store()
        _ = try await repository.importing(Self.header + "ann,Geheim1,\(Self.rest)\n")
        let path = try DatabasePath(repository.place)
        let input = try unnamedFile(Array((Self.header + "bob,Geheim2,\(Self.rest)\nann,Geheim3,\(Self.rest)\n").utf8))
        let report = try await ProfileImporter(repository: repository).run(
            ImportInput(descriptor: input, name: "x", byteCount: nil)
        ) { progress in
            // The hash of the first row shows that the batch was compared with the store. Then Ann is removed.
            guard progress.hashed?.done == 1, progress.hashed?.total == 1 else { return }
            let connection = try? Connection(path, mode: .readWrite)
            try? connection?.execute("DELETE FROM profiles WHERE username = 'ann'")
        }
        #expect(report.outcomes == [2, 0, 0, 0], "\(report.lines)")
        #expect(try await matches("Geheim3", "ann", in: repository))
        #expect(try await repository.statistics().withPassword == 2)
    }
}

/// Collects the numbers of hashed passwords from progress reports.
private final class Told: Sendable {
    private let state = Mutex<[[Int]]>([])

    var hashed: [[Int]] { state.withLock { $0 } }

    func add(_ progress: ImportProgress) {
        guard let hashed = progress.hashed else { return }
        state.withLock { $0.append([hashed.done, hashed.total]) }
    }
}

/// Collects the contents of the deleted files in a folder that this process has open.
private final class Copies: Sendable {
    private let state = Mutex<[[UInt8]]>([])

    var seen: [[UInt8]] { state.withLock { $0 } }

    func look(in folder: ImportFolder) {
        for number in SmallFile.names(in: "/proc/self/fd") {
            let place = "/proc/self/fd/\(number)"
            var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
            let count = readlink(place, &buffer, buffer.count)
            let path = String(decoding: buffer.prefix(max(0, count)).map(UInt8.init(bitPattern:)), as: UTF8.self)
            guard path.hasPrefix(folder.path), path.hasSuffix(" (deleted)") else { continue }
            if let bytes = SmallFile.bytes(of: place) { state.withLock { $0.append(bytes) } }
        }
    }
}

extension ProfileRepository {
    /// The stored password hash of a profile.
    fileprivate func storedHash(of username: String) async throws -> String? {
        try await engine.credential(.password, of: username)?.hash?.text
    }
}
