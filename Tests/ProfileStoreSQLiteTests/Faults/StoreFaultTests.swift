import FaultVFS
import Platform
import ProfileCore
import ProfileStore
import ProfileStoreSQLite
import ProfileTesting
import ProfileTransfer
import SQLiteAccess
import StoreFixtures
import Testing
import Watchdog

/// What the store says and keeps when writes and syncs below SQLite fail.
@Suite(.watched(for: .seconds(300))) struct StoreFaultTests {
    private let store: TemporaryStore

    init() throws {
        #expect(fault_vfs_register() == 0)
        store = try TemporaryStore()
    }

    enum Fault: CaseIterable, Sendable {
        case write, sync, full

        var kind: fault_vfs_kind {
            switch self {
            case .write: FAULT_VFS_WRITE
            case .sync: FAULT_VFS_SYNC
            case .full: FAULT_VFS_FULL
            }
        }

        func explains(_ error: ProfileStoreError) -> Bool {
            switch (self, error.code) {
            case (.write, .inputOutput), (.sync, .inputOutput), (.full, .full): true
            default: false
            }
        }
    }

    private func open() async throws(ProfileStoreError) -> ProfileRepository {
        try await ProfileRepository.open(at: store.path, options: store.options { $0.vfs = "fault" })
    }

    /// The whole content of the store, read through a file system that does not fail.
    private func content() async throws -> [[[String?]]] {
        let repository = try await ProfileRepository.open(at: store.path)
        let check = try await repository.check()
        #expect(check.integrity == [])
        #expect(check.danglingRows == [])
        await repository.close()
        return try ["profiles", "schemas", "store", "migrations", "changes"].map { try store.rows($0) }
    }

    /// Repeats a change with a fault in its first call, then in its second, and so on, until the change succeeds
    /// without a fault. Another connection keeps the store open meanwhile. Then a change that was reported as failed is
    /// not in the store; see `Connection.writeTransaction`.
    private func failEverywhere(
        _ fault: Fault, most: Int = 400, _ change: (ProfileRepository) async throws -> Void
    ) async throws {
        let keeper = try store.connect()
        defer { _ = keeper.isAutocommit }
        for allowed in 0..<most {
            let before = try await content()
            let repository = try await open()
            fault_vfs_arm(store.path, fault.kind, Int64(allowed), -1)
            var failure: (any Error)?
            do { try await change(repository) } catch { failure = error }
            let injected = fault_vfs_disarm(store.path)
            guard let failure else {
                #expect(allowed > 0, "nothing was ever written")
                #expect(try await content() != before)
                await repository.close()
                return
            }
            #expect(injected > 0)
            let error = try #require(Self.storeError(failure), "\(failure)")
            #expect(fault.explains(error), "\(error)")
            // The same repository can still read, and does not have the change that failed.
            #expect(try await repository.profile(username: "abel") != nil)
            #expect(try await repository.profiles(ProfileQuery()).profiles.count == before[0].count)
            #expect(repository.rules.inForce.number == before[1].count)
            await repository.close()
            #expect(try await content() == before, "after \(allowed) calls")
        }
        Issue.record("it never went through")
    }

    private static func storeError(_ error: any Error) -> ProfileStoreError? {
        switch error {
        case let error as ProfileStoreError: error
        case CredentialError.store(let error): error
        case ImportError.store(let error): error
        case ImportError.ended(.store(let error), after: _): error
        default: nil
        }
    }

    private func makeStore() async throws {
        let repository = try await store.open()
        for name in ["abel", "bert", "carl"] { try await repository.register(name) }
        await repository.close()
    }

    @Test(arguments: Fault.allCases) func `a registration that fails anywhere has a typed error and stores nothing`(
        fault: Fault
    ) async throws {
        try await makeStore()
        try await failEverywhere(fault) { try await $0.register("dora") }
    }

    @Test(arguments: Fault.allCases) func `an edit that fails anywhere has a typed error and changes nothing`(
        fault: Fault
    ) async throws {
        try await makeStore()
        try await failEverywhere(fault) { repository in
            _ = try await repository.edit("abel") { draft in
                draft["address"] = "elsewhere"
                draft["password_hash"] = People.bcryptHash
            }
        }
    }

    @Test(arguments: Fault.allCases) func `a removal that fails anywhere has a typed error and removes nothing`(
        fault: Fault
    ) async throws {
        try await makeStore()
        try await failEverywhere(fault) { try await $0.remove("bert") }
    }

    @Test(arguments: Fault.allCases) func `S7: an adoption that fails anywhere leaves the rules in force`(fault: Fault)
        async throws
    {
        try await makeStore()
        let wider = try People.standard(and: People.uniqueEmail)
        try await failEverywhere(fault) { try await $0.rules.adopt(wider) }
    }

    @Test(arguments: Fault.allCases) func `a passcode that cannot be stored is not there`(fault: Fault) async throws {
        try await makeStore()
        try await failEverywhere(fault) { try await $0.passcodes.create(Secret("parislondon"), for: "abel") }
    }

    @Test(arguments: Fault.allCases) func `R6: marks that cannot be stored are not there`(fault: Fault) async throws {
        try await makeStore()
        try store.execute("UPDATE profiles SET address = 'no. 5!' WHERE username = 'carl'")
        try await failEverywhere(fault) { _ = try await $0.rules.revalidate(all: true) }
    }

    @Test(arguments: Fault.allCases, [false, true])
    func `I7: a batch of an import that fails anywhere leaves nothing of itself`(
        fault: Fault, isExclusive: Bool
    ) async throws {
        try await makeStore()
        let path = store.directory + "/people.csv"
        let rows = (0..<200).map { "user\($0),78761241,12 Main St,\"\(People.policyHash)\"\n" }
        try SmallFile.write("username,phone,address,password_hash\n" + rows.joined(), to: path)
        // The batch writes fewer pages than it runs statements, so there are only some dozens of calls.
        try await failEverywhere(fault) { repository in
            let descriptor = Platform.open(path, O_RDONLY | O_CLOEXEC)
            defer { close(descriptor) }
            var options = ImportOptions()
            options.isExclusive = isExclusive
            let input = ImportInput(descriptor: descriptor, name: path, byteCount: nil)
            let report = try await ProfileImporter(repository: repository, options: options).run(input)
            #expect(report.imported == 200)
        }
    }

    @Test(arguments: Fault.allCases)
    func `I7: an import that fails anywhere while it fills the store that it made leaves an empty store`(
        fault: Fault
    ) async throws {
        let path = store.directory + "/people.csv"
        // More than the page cache holds, so that pages are also written before the commit.
        let count = 12_000
        let rows = (0..<count).map { "user\($0),78761241,12 Main St,\"\(People.policyHash)\"\n" }
        try SmallFile.write("username,phone,address,password_hash\n" + rows.joined(), to: path)
        func importing(to repository: ProfileRepository) async throws {
            let descriptor = Platform.open(path, O_RDONLY | O_CLOEXEC)
            defer { close(descriptor) }
            let input = ImportInput(descriptor: descriptor, name: path, byteCount: nil)
            #expect(try await ProfileImporter(repository: repository).run(input).imported == count)
        }
        var failures = 0
        for allowed in stride(from: Int64(0), to: 4_000, by: runsLongImportTests ? 7 : 41) {
            let store = try TemporaryStore()
            let options = store.options {
                $0.vfs = "fault"
                $0.isUnreadUntilLoaded = true
            }
            let repository = try await ProfileRepository.open(at: store.path, options: options)
            fault_vfs_arm(store.path, fault.kind, allowed, -1)
            var failure: (any Error)?
            do { try await importing(to: repository) } catch { failure = error }
            let injected = fault_vfs_disarm(store.path)
            await repository.close()
            if let failure {
                failures += 1
                let error = try #require(Self.storeError(failure), "\(failure)")
                #expect(fault.explains(error), "\(error)")
            }
            let reopened = try await store.open()
            #expect(try await reopened.check().isSound)
            #expect(try await reopened.count() == (failure == nil ? count : 0), "after \(allowed) calls")
            if failure != nil { try await importing(to: reopened) }
            await reopened.close()
            if injected == 0 {
                #expect(failures > 0)
                return
            }
        }
        Issue.record("it never went through")
    }

    @Test(arguments: Fault.allCases) func `a backup that cannot be restored whole changes nothing`(fault: Fault)
        async throws
    {
        try await makeStore()
        let repository = try await store.open()
        try await repository.backup(to: store.directory + "/backup.sqlite")
        _ = try await repository.edit("abel") { $0["address"] = "2" }
        try await repository.register("dora")
        await repository.close()
        let options = store.options { $0.vfs = "fault" }
        let backup = try await StoreBackup(at: store.directory + "/backup.sqlite", options: store.options())
        try await failEverywhere(fault) { _ in try await backup.restore(to: store.path, options: options) }
    }

    @Test(arguments: Fault.allCases)
    func `a store whose making fails anywhere can be made afterwards`(fault: Fault) async throws {
        for allowed in 0..<400 {
            let store = try TemporaryStore()
            var options = store.options()
            options.vfs = "fault"
            fault_vfs_arm(store.path, fault.kind, Int64(allowed), -1)
            var failure: ProfileStoreError?
            do throws(ProfileStoreError) {
                let repository = try await ProfileRepository.open(at: store.path, options: options)
                await repository.close()
            } catch {
                failure = error
            }
            fault_vfs_disarm(store.path)
            if let failure { #expect(fault.explains(failure), "\(allowed): \(failure)") }
            let repository = try await store.open()
            #expect(try await repository.register("abel").id == 1)
            #expect(try await repository.check().isSound)
            await repository.close()
            guard failure != nil else {
                #expect(allowed > 0)
                return
            }
        }
        Issue.record("it never went through")
    }
}
