internal import CSVStream
public import ProfileCore
public import ProfileStore
internal import Threads

/// A comparison of the profiles of two stores or files, by their primary keys and the fields that both have.
///
/// ```swift
/// let comparison = try await ProfileComparison(.store(repository), .file(input, rules: repository.schema))
/// while let difference = try comparison.next() { print(difference.kind, difference.key) }
/// print(comparison.counts)
/// ```
///
/// Both sides are read once, and sorted by their keys. The comparison holds at most 64 MiB of the values in memory. If
/// there are more values, it writes sorted parts of them to encrypted files without names. Secrets are not compared.
/// Only one task at a time may use a comparison.
public final class ProfileComparison {
    /// One side of a comparison.
    public enum Source: Sendable {
        /// The profiles of a store.
        case store(ProfileRepository)
        /// The rows of a file, read by these rules. A value that breaks a rule is compared in its stored form if it has
        /// the type of its field, and otherwise as it is written. Only the options for reading the file have an effect.
        case file(ImportInput, rules: ProfileSchema, options: ImportOptions = ImportOptions())
    }

    /// The numbers of profiles. They are complete when ``ProfileComparison/next()`` has returned nil.
    public struct Counts: Hashable, Sendable {
        /// The number of profiles that only the second side has.
        public internal(set) var added = 0
        /// The number of profiles that only the first side has.
        public internal(set) var removed = 0
        /// The number of profiles that both sides have with different values.
        public internal(set) var changed = 0
        /// The number of profiles that both sides have with the same values.
        public internal(set) var equal = 0

        /// The number of differences.
        public var differences: Int { added + removed + changed }
    }

    /// What was found when one side was read.
    public struct Reading: Hashable, Sendable {
        /// The fields that only this side has. They are not compared.
        public internal(set) var otherFields: [FieldName] = []
        /// The columns of a file that belong to no field. They are not compared.
        public internal(set) var ignoredColumns: [String] = []
        /// The number of rows that were not compared, because they cannot be read or lack a key.
        public internal(set) var unreadRows = 0
        /// The number of rows that were not compared, because an earlier row has the same key.
        public internal(set) var repeatedKeys = 0
        /// The lines of the first rows that were not compared because they cannot be read or lack a key.
        public internal(set) var unreadLines: [Int] = []
    }

    /// The fields that are compared, apart from the primary key.
    public let fields: [FieldName]
    /// The numbers of the profiles that ``next()`` has compared so far.
    public private(set) var counts = Counts()
    private let sides: [ComparedRows]
    private var heads: [ComparedRows.Row?]

    /// Reads both sides.
    ///
    /// - Parameters:
    ///   - first: The side before the changes. A profile that only this side has is reported as removed.
    ///   - second: The side after the changes. A profile that only this side has is reported as added.
    ///   - temporaryFolder: The folder for the files that a large comparison needs.
    /// - Throws: ``ComparisonError``.
    public init(
        _ first: Source, _ second: Source, temporaryFolder: String = "/var/tmp"
    ) async throws(ComparisonError) {
        let opened = [
            try await OpenedSource(first, side: .first), try await OpenedSource(second, side: .second),
        ]
        let common = opened[0].fields.filter { opened[1].fields.contains($0) }
        var sides: [ComparedRows] = []
        for source in opened {
            let rows = try await source.rows(common, keptIn: temporaryFolder)
            rows.reading.otherFields = source.fields.filter { !common.contains($0) }
            sides.append(rows)
        }
        fields = common
        self.sides = sides
        heads = [try sides[0].next(), try sides[1].next()]
    }

    /// What was found when the first side was read.
    public var first: Reading { sides[0].reading }

    /// What was found when the second side was read.
    public var second: Reading { sides[1].reading }

    /// Returns the next difference in the order of the keys; nil after the last one.
    ///
    /// - Throws: ``ComparisonError``.
    public func next() throws(ComparisonError) -> ProfileDifference? {
        while true {
            switch (heads[0], heads[1]) {
            case (nil, nil): return nil
            case (let old?, nil): return try removed(old)
            case (nil, let new?): return try added(new)
            case (let old?, let new?):
                if old.sortKey.lexicographicallyPrecedes(new.sortKey) { return try removed(old) }
                if old.sortKey != new.sortKey { return try added(new) }
                heads = [try sides[0].next(), try sides[1].next()]
                if old.contents == new.contents {
                    counts.equal += 1
                    continue
                }
                let changes = changes(from: old.values, to: new.values)
                // If only the case of the key differs, the profile counts as changed.
                if changes.isEmpty, old.key == new.key {
                    counts.equal += 1
                    continue
                }
                counts.changed += 1
                return ProfileDifference(kind: .changed, key: new.key, formerKey: old.key, values: changes)
            }
        }
    }

    private func removed(_ row: ComparedRows.Row) throws(ComparisonError) -> ProfileDifference {
        counts.removed += 1
        heads[0] = try sides[0].next()
        let none = [String?](repeating: nil, count: fields.count)
        return ProfileDifference(
            kind: .removed, key: row.key, formerKey: row.key, values: changes(from: row.values, to: none))
    }

    private func added(_ row: ComparedRows.Row) throws(ComparisonError) -> ProfileDifference {
        counts.added += 1
        heads[1] = try sides[1].next()
        let none = [String?](repeating: nil, count: fields.count)
        return ProfileDifference(
            kind: .added, key: row.key, formerKey: row.key, values: changes(from: none, to: row.values))
    }

    private func changes(from old: [String?], to new: [String?]) -> [HistoryEntry.ChangedValue] {
        fields.indices.compactMap { index in
            let (before, after) = (old[index], new[index])
            // Two texts of different bytes may be equal strings.
            guard before.map({ Array($0.utf8) }) != after.map({ Array($0.utf8) }) else { return nil }
            return HistoryEntry.ChangedValue(field: fields[index].text, before: before, after: after)
        }
    }
}

/// Unavailable, because only one task at a time may use a comparison.
@available(*, unavailable)
extension ProfileComparison: Sendable {}

/// A difference between two sides of a comparison: a profile that only one of them has, or whose values differ.
public struct ProfileDifference: Hashable, Sendable {
    /// The kind of a difference.
    public enum Kind: String, Hashable, Sendable {
        /// Only the second side has the profile.
        case added
        /// Only the first side has the profile.
        case removed
        /// Both sides have the profile, with different values.
        case changed
    }

    /// The kind of the difference.
    public let kind: Kind
    /// The primary key of the profile. If the profile was changed, the key on the second side.
    public let key: String
    /// If the profile was changed, the key on the first side. It may differ from ``key`` in the case of its letters.
    public let formerKey: String
    /// The values that differ. If only one side has the profile, all its values.
    public let values: [HistoryEntry.ChangedValue]
}

/// The reason that two sides could not be compared.
public enum ComparisonError: Error, Hashable, Sendable {
    /// The side of a comparison.
    public enum Side: Hashable, Sendable {
        /// The first side.
        case first
        /// The second side.
        case second
    }

    /// A store could not be read, or the task was cancelled.
    case store(ProfileStoreError, Side)
    /// A file could not be read.
    case file(ImportError, Side)
    /// A temporary file could not be written or read. The value is the `errno`.
    case sorting(code: Int32)
}
