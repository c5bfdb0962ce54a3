internal import ProfileCore
package import ProfileStore

/// Copies a whole store into an empty one. Each of the two stores may use any engine. The copy includes ids, revisions,
/// times, values, hashes, the stored issues of invalid profiles, all schemas that were ever in force, access tokens,
/// and the next id. It excludes sessions, known devices, resets, failed attempts, idempotency keys, the history and the
/// change log.
///
/// Other programs cannot open the copy until it is complete. An interrupted copy continues after the last copied
/// profile. If the copy is already complete, it is only compared with the source. At the end, both stores are read
/// again and compared. The comparison detects changes to the source during the copy.
package struct StoreCopy: Sendable {
    private let source: ProfileRepository
    private let destination: ProfileRepository

    private static let mostRows = 4_096
    private static let pageBytes = 1 << 22

    /// Creates a copy operation. The destination must be open with the option `opensUnfinishedCopy`.
    package init(from source: ProfileRepository, to destination: ProfileRepository) {
        self.source = source
        self.destination = destination
    }

    /// The progress of a copy.
    package enum Progress: Sendable {
        /// The number of copied profiles and the total number.
        case copied(Int, of: Int)
        /// The number of compared profiles of the source, and the total number.
        case compared(Int, of: Int)
    }

    /// Copies the store, then compares both stores.
    ///
    /// - Parameters:
    ///   - restarting: If an interrupted copy exists: whether to start again from the beginning. The interrupted copy
    ///     may be a copy of another store.
    ///   - report: A closure that receives the progress.
    /// - Returns: A report about the copied contents, which are the same in both stores.
    /// - Throws: ``StoreCopyError``, or `ProfileStoreError`: `notUnused`, `unfinishedCopy`, `cancelled`, …
    package func run(
        restarting: Bool = false, progress report: @Sendable (Progress) -> Void = { _ in }
    ) async throws -> StoreCopyReport {
        let head = try await ofSource { () throws(ProfileStoreError) in try await source.head() }
        if try await isComplete(of: head) { return try await confirmed(of: head, report) }
        try await destination.ask(
            .copy, rows: { 0 }, await destination.engine.beginCopy(of: head, restarting: restarting))
        let total = try await ofSource { () throws(ProfileStoreError) in try await source.statistics().profiles }
        let before = try await destination.statistics().profiles
        var copied = before
        let fields = head.fields
        var scan = Self.scan(fields)
        scan.after = try await lastID()
        while let rows = try await ofSource({ () throws(ProfileStoreError) in try await source.nextPage(of: &scan) }) {
            try await destination.ask(
                .copy, rows: { rows.rows.count }, await destination.engine.place(rows, of: fields))
            copied += rows.rows.count
            report(.copied(copied, of: max(copied, total)))
        }
        let digest = try await compare(head, report)
        try await destination.ask(.copy, rows: { 0 }, await destination.engine.endCopy(of: head))
        return StoreCopyReport(
            digest: digest, copied: copied - before, schemas: head.schemas.count, tokens: head.tokens.count)
    }

    /// Whether the destination looks like a complete copy. This is possible if a previous run completed the copy, but
    /// was killed before it reported the result.
    private func isComplete(of head: StoreHead) async throws(ProfileStoreError) -> Bool {
        let copy = try await destination.head()
        return copy.copyOf == nil && copy == head
    }

    /// Compares the source with a copy that an earlier run has completed.
    ///
    /// - Throws: `notUnused` if the destination is not a copy of the current contents of the source.
    private func confirmed(
        of head: StoreHead, _ report: @Sendable (Progress) -> Void
    ) async throws -> StoreCopyReport {
        do {
            let digest = try await compare(head, report)
            return StoreCopyReport(
                digest: digest, copied: 0, schemas: head.schemas.count, tokens: head.tokens.count)
        } catch StoreCopyError.differ {
            throw ProfileStoreError.notUnused(path: destination.place)
        }
    }

    /// Reads both stores and compares their whole contents.
    ///
    /// - Throws: `differ` if the contents differ, `damagedSource` if the source is damaged, or the error if a store
    ///   cannot be read.
    private func compare(
        _ head: StoreHead, _ report: @Sendable (Progress) -> Void
    ) async throws -> StoreDigest {
        let total = try await ofSource { () throws(ProfileStoreError) in try await source.statistics().profiles }
        async let written = digest(of: destination, head.fields)
        let (read, headNow) = try await ofSource { () throws(ProfileStoreError) in
            let digest = try await digest(of: source, head.fields) { report(.compared($0, of: total)) }
            return (digest, try await source.head())
        }
        let copy = try await written
        guard read == copy, headNow == head else { throw StoreCopyError.differ(read, copy) }
        return read
    }

    /// Runs `body`, which reads only from the source. If the source is damaged, throws `damagedSource` instead of
    /// `corrupt`. So callers can distinguish a damaged source from a damaged copy.
    private func ofSource<Value>(_ body: () async throws(ProfileStoreError) -> Value) async throws -> Value {
        do throws(ProfileStoreError) {
            return try await body()
        } catch {
            if case .corrupt(let damage) = error.reason { throw StoreCopyError.damagedSource(damage) }
            throw error
        }
    }

    /// Returns the id of the last profile that an earlier run has copied, or 0 if there is none.
    private func lastID() async throws(ProfileStoreError) -> Int64 {
        let rules = try await destination.refreshSchema()
        let last = try await destination.ask(
            .page, rows: \.profiles.count,
            await destination.engine.page(ProfileSearch(isReversed: true, limit: 1), under: rules))
        return last.profiles.first?.id ?? 0
    }

    private func digest(
        of store: ProfileRepository, _ fields: [FieldRules], _ report: (Int) -> Void = { _ in }
    ) async throws(ProfileStoreError) -> StoreDigest {
        var digest = RowDigest(fields.count)
        var scan = Self.scan(fields)
        while let rows = try await store.nextPage(of: &scan) {
            digest.add(rows)
            report(digest.count)
        }
        return digest.finish()
    }

    /// Returns a scan of whole profiles.
    private static func scan(_ fields: [FieldRules]) -> StoreScan {
        var scan = StoreScan(fields: fields, mostRows: mostRows, mostBytes: pageBytes)
        scan.includesRecords = true
        return scan
    }
}

extension ProfileRepository {
    fileprivate func head() async throws(ProfileStoreError) -> StoreHead {
        try await ask(.copy, rows: { _ in 0 }, await engine.head())
    }
}

/// The result of a copy.
package struct StoreCopyReport: Hashable, Sendable {
    /// The digest of the profiles, which is the same for both stores.
    package let digest: StoreDigest
    /// The number of profiles that this run copied. Profiles that an interrupted earlier run copied are not included.
    package let copied: Int
    /// The number of schemas that were ever in force.
    package let schemas: Int
    /// The number of access tokens.
    package let tokens: Int
}

/// The number of profiles and a checksum of all their data.
package struct StoreDigest: Hashable, Sendable {
    package let profiles: Int
    /// The SHA-256 of all rows in the order of their ids, in lower-case hexadecimal digits.
    package let checksum: String
}

/// The reason that a copy is not complete.
package enum StoreCopyError: Error, Hashable, Sendable {
    /// The stores differ. Either the source changed during the copy, or the run continued an interrupted copy of
    /// another store. The first digest belongs to the source, and the second digest belongs to the copy.
    case differ(StoreDigest, StoreDigest)
    /// The source is damaged. The value describes the damage. The copy contains all profiles before the damaged
    /// profile.
    case damagedSource(StoreDamage)
}
