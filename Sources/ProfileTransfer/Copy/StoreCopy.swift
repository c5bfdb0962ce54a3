internal import ProfileCore
package import ProfileStore

/// Copies a whole store into an empty one, of whichever kind either is: ids, revisions, times, values, hashes, marks, the
/// schemas that were ever in force, access tokens, and the id that comes next. Sessions, resets, failed attempts, keys of
/// writes and the log of changes start anew.
///
/// Nobody else can open the copy until it is at its end. One that was broken off goes on after the last profile that is
/// there. One that was at its end already is only compared. At the end both stores are read once more, so that a change of
/// the one that is copied does not go unnoticed.
package struct StoreCopy: Sendable {
    private let source: ProfileRepository
    private let destination: ProfileRepository

    private static let mostRows = 4_096
    private static let pageBytes = 1 << 22

    /// Takes the stores; the destination was opened with `opensUnfinishedCopy`.
    package init(from source: ProfileRepository, to destination: ProfileRepository) {
        self.source = source
        self.destination = destination
    }

    /// How far a copy is.
    package enum Progress: Sendable {
        /// So many profiles are there, of so many.
        case copied(Int, of: Int)
        /// Both stores are read to be compared; so many profiles of the one that is copied were.
        case compared(Int, of: Int)
    }

    /// Copies, and compares.
    ///
    /// - Parameters:
    ///   - restarting: Whether to begin again where a copy was broken off, whichever store it is of.
    ///   - report: Told how far it is.
    /// - Returns: What is in both stores.
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
        var pages = StorePages(source, fields, after: try await lastID())
        while let rows = try await ofSource({ () throws(ProfileStoreError) in try await pages.next() }) {
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

    /// Whether the destination looks like a copy that is at its end: the command may have been killed before it said so.
    private func isComplete(of head: StoreHead) async throws(ProfileStoreError) -> Bool {
        let copy = try await destination.head()
        return copy.copyOf == nil && copy == head
    }

    /// Compares a copy that is at its end once more.
    ///
    /// - Throws: `notUnused` if it is not a copy of this store as it is now.
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

    /// Reads both stores, and compares all that they hold.
    ///
    /// - Throws: `differ`, `damagedSource`, …
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

    /// Reads the store that is copied, so that its damage is told apart from the copy's.
    private func ofSource<Value>(_ body: () async throws(ProfileStoreError) -> Value) async throws -> Value {
        do throws(ProfileStoreError) {
            return try await body()
        } catch {
            if case .corrupt(let damage) = error.reason { throw StoreCopyError.damagedSource(damage) }
            throw error
        }
    }

    /// The id of the last profile that a copy before this one has brought; 0 where there is none.
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
        var pages = StorePages(store, fields, after: 0)
        while let rows = try await pages.next() {
            digest.add(rows)
            report(digest.count)
        }
        return digest.finish()
    }

    /// Whole profiles, in the order of their ids.
    private struct StorePages {
        private let store: ProfileRepository
        private var scan: StoreScan

        init(_ store: ProfileRepository, _ fields: [FieldRules], after id: Int64) {
            self.store = store
            scan = StoreScan(fields: fields, mostRows: StoreCopy.mostRows, mostBytes: StoreCopy.pageBytes)
            scan.includesRecords = true
            scan.after = id
        }

        /// The next ones; nil at the end.
        mutating func next() async throws(ProfileStoreError) -> StoredRows? {
            guard !Task.isCancelled else { throw .cancelled }
            let rows = try await store.scan(scan)
            guard let last = rows.rows.last else { return nil }
            scan.after = last.id
            return rows
        }
    }
}

extension ProfileRepository {
    fileprivate func head() async throws(ProfileStoreError) -> StoreHead {
        try await ask(.copy, rows: { _ in 0 }, await engine.head())
    }
}

/// What a copy has come to.
package struct StoreCopyReport: Hashable, Sendable {
    /// Of the profiles of both stores.
    package let digest: StoreDigest
    /// How many profiles were copied now: fewer than there are where the copy went on.
    package let copied: Int
    /// How many schemas were ever in force.
    package let schemas: Int
    /// How many access tokens there are.
    package let tokens: Int
}

/// How many profiles there are, and what all that is kept of them is known by.
package struct StoreDigest: Hashable, Sendable {
    package let profiles: Int
    /// SHA-256 over all rows in the order of their ids, in lower-case hexadecimal digits.
    package let checksum: String
}

/// Why a copy is not at its end.
package enum StoreCopyError: Error, Hashable, Sendable {
    /// The stores do not hold the same: the one that is copied has changed meanwhile, or was another one when the copying
    /// began.
    case differ(StoreDigest, StoreDigest)
    /// The store that is copied is damaged; the text says where. The copy has all profiles before the damaged one.
    case damagedSource(StoreDamage)
}
