internal import Platform
internal import ProfileCore
internal import ProfileStore
internal import ProfileStoreSQLite
internal import ProfileTesting
internal import SecretHashing
internal import Synchronization

/// The bytes of a small store with a row or more in each table.
struct SampleStore {
    /// The file after the store was closed.
    let closed: [UInt8]
    /// The file while the store was open, and its write-ahead log.
    let open: [UInt8]
    let log: [UInt8]

    private static let kept = Mutex<SampleStore?>(nil)

    /// The store, which the first call makes.
    static func shared() async throws -> SampleStore {
        if let store = kept.withLock({ $0 }) { return store }
        let store = try await SampleStore()
        kept.withLock { $0 = store }
        return store
    }

    private static let schema = ProfileSchema.of(
        """
        {"name": "sample", "fields": [
          {"name": "username", "constraints": {"required": true, "unique": true, "maxLength": 10}},
          {"name": "password", "profiles": {"secret": true}},
          {"name": "phone", "constraints": {"unique": true}, "profiles": {"mask": "####-####"}},
          {"name": "born", "type": "date", "profiles": {"indexed": true}},
          {"name": "height", "type": "number"},
          {"name": "note"}
        ]}
        """)

    /// Argon2id of a password, at the lowest cost.
    private static let hash =
        "$argon2id$v=19$m=8,t=1,p=1$x6KV7hY0lqmDzqg8SXGz4A$zXpdekayZS4A3z2N/dAfRIcKF8U94zGuyyN/CCZNJVo"

    static func person(_ name: String, _ digit: String) -> [String: String] {
        [
            "username": name, "phone": String(repeating: digit, count: 8), "born": "200\(digit)-02-03",
            "height": "1.\(digit)", "note": "note of \(name)",
        ]
    }

    private init() async throws {
        let folder = try TemporaryFolder("profiles-fuzz-sample")
        let path = folder.path + "/store.sqlite"
        var options = ProfileRepository.Options()
        options.createsMissing = true
        options.initialSchema = Self.schema
        options.now = { ImportChoices.time }
        let repository = try await ProfileRepository.open(at: path, options: options)
        var abel = Self.person("abel", "1")
        abel["password_hash"] = Self.hash
        _ = try await repository.register(ProfileDraft(abel))
        for (name, digit) in [("bert", "2"), ("cora", "3"), ("dana", "4")] {
            _ = try await repository.register(ProfileDraft(Self.person(name, digit)))
        }
        _ = try await repository.sessions.start(vouchingFor: "abel")
        if let label = AccountLabel("console") { _ = try await repository.tokens.create(label, scopes: []) }
        _ = try await repository.passwords.issueReset(of: "abel")
        _ = try? await repository.passwords.validate(Secret("wrong1A"), for: "abel")
        let key = WriteKey("kept", request: "")
        let valid = try repository.validator.validate(ProfileDraft(Self.person("emil", "5")), on: repository.today)
        _ = try await repository.register(valid, key: key)
        // Closing the file after reading releases SQLite's locks of this process (fcntl). No other process has the
        // store open, so this does no harm.
        open = SmallFile.bytes(of: path) ?? []
        log = SmallFile.bytes(of: path + "-wal") ?? []
        await repository.close()
        closed = SmallFile.bytes(of: path) ?? []
        withExtendedLifetime(folder) {}
    }
}

/// Changes to the bytes of a store: five bytes for each change. The first byte chooses the change, the second the page,
/// the next two the position in the page, the last the value.
struct StoreMutation {
    private let changes: [ArraySlice<UInt8>]

    init(_ input: [UInt8]) {
        changes = stride(from: 0, to: input.count - 4, by: 5).prefix(16).map { input[$0..<$0 + 5] }
    }

    private static let pageSize = 4_096
    private static let numbers: [UInt32] = [
        0, 1, 2, 3, 0x7F, 0x80, 0xFF, 0x100, 0x0FFF, 0x1000, 0x7FFF, 0x8000, 0xFFFF, 0x1_0000, 0x7FFF_FFFF, 0x8000_0000,
        0xFFFF_FFFE, 0xFFFF_FFFF,
    ]

    /// Returns the bytes of the file and of its log, if there is one.
    func applied(to base: SampleStore) -> (file: [UInt8], log: [UInt8]?) {
        let hasLog = changes.contains { $0.first.map { $0 % 16 == 12 } ?? false }
        var file = hasLog ? base.open : base.closed
        var log = hasLog ? base.log : nil
        for change in changes {
            let change = Array(change)
            if change[0] % 16 == 12 {
                let position = Int(change[1]) << 16 | Int(change[2]) << 8 | Int(change[3])
                if let count = log?.count, count > 0 { log?[position % count] ^= change[4] }
            } else {
                apply(change, to: &file)
            }
        }
        return (file, log)
    }

    private func apply(_ change: [UInt8], to file: inout [UInt8]) {
        let pages = file.count / Self.pageSize
        guard pages > 0 else { return }
        let page = Int(change[1]) % pages * Self.pageSize
        let offset = Int(change[2]) << 8 | Int(change[3])
        let position = page + offset % Self.pageSize
        let value = change[4]
        let number = Self.numbers[Int(value) % Self.numbers.count]
        switch change[0] % 16 {
        case 0: file[position] = value
        case 1: file[position] ^= 1 << (value & 7)
        case 2: write(number, 2, to: &file, at: position)
        case 3: write(number, 4, to: &file, at: position)
        case 4:
            let other = Int(value) % pages * Self.pageSize
            file.replaceSubrange(page..<page + Self.pageSize, with: file[other..<other + Self.pageSize])
        case 5: file.removeLast(file.count - (offset & 1 == 0 ? max(1, page) : position))
        case 6: for index in position..<page + Self.pageSize { file[index] = 0 }
        case 7: for index in position..<min(position + 16, file.count) { file[index] = value }
        case 8: file[offset % 100] = value
        case 9: write(number, 4, to: &file, at: offset % 25 * 4)
        // The header of a b-tree page and its first cells.
        case 10: file[page + (page == 0 ? 100 : 0) + offset % 40] = value
        case 11: file += [UInt8](repeating: value, count: Self.pageSize)
        case 13: file[position] = file[position] &+ value
        case 14: write(number, 2, to: &file, at: page + (page == 0 ? 100 : 0) + offset % 20 * 2)
        // Several bytes close together, such as the column types at the start of a row's record.
        default:
            for index in stride(from: position, to: min(position + 64, file.count), by: 8) { file[index] ^= value }
        }
    }

    private func write(_ number: UInt32, _ count: Int, to file: inout [UInt8], at position: Int) {
        for index in 0..<count where position + index < file.count {
            file[position + index] = UInt8(truncatingIfNeeded: number >> UInt32(8 * (count - 1 - index)))
        }
    }
}
