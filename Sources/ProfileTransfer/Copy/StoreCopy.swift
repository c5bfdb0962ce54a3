internal import ProfileCore
package import ProfileStore

/// Copies a whole store into an empty one, of whichever kind either is: ids, revisions, times, values, hashes, marks, the
/// schemas that were ever in force, access tokens, and the id that comes next. Sessions, resets, failed attempts, keys of
/// writes and the log of changes start anew.
///
/// Nobody else can open the copy until it is at its end. One that was broken off goes on after the last profile that is
/// there. At the end both stores are read once more, so that a change of the one that is copied does not go unnoticed.
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
        let head = try await source.engine.head()
        try await destination.engine.beginCopy(of: head, restarting: restarting)
        let total = try await source.statistics().profiles
        let before = try await destination.statistics().profiles
        var copied = before
        let fields = head.fields
        var pages = StorePages(source, fields, after: try await lastID())
        while let rows = try await pages.next() {
            try await destination.engine.place(rows, of: fields)
            copied += rows.rows.count
            report(.copied(copied, of: max(copied, total)))
        }
        async let written = digest(of: destination, fields)
        let read = try await digest(of: source, fields) { report(.compared($0, of: total)) }
        let (sourceDigest, destinationDigest) = (read, try await written)
        guard sourceDigest == destinationDigest, try await source.engine.head() == head else {
            throw StoreCopyError.differ(sourceDigest, destinationDigest)
        }
        try await destination.engine.endCopy(of: head)
        return StoreCopyReport(
            digest: sourceDigest, copied: copied - before, schemas: head.schemas.count, tokens: head.tokens.count)
    }

    /// The id of the last profile that a copy before this one has brought; 0 where there is none.
    private func lastID() async throws(ProfileStoreError) -> Int64 {
        let rules = try await destination.refreshSchema()
        return try await destination.engine.page(ProfileSearch(isReversed: true, limit: 1), under: rules)
            .profiles.first?.id ?? 0
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
            let rows = try await store.engine.scan(scan)
            guard let last = rows.rows.last else { return nil }
            scan.after = last.id
            return rows
        }
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
}
