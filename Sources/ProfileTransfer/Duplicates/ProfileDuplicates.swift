internal import CSVStream
public import ProfileCore
internal import ProfileStore

/// Profiles that may be duplicates: groups whose values are equal apart from case, accents, spaces and punctuation,
/// and pairs with similar names.
///
/// ```swift
/// let duplicates = try await repository.duplicates(by: [phone])
/// while let group = try duplicates.nextGroup() { print(group.keys) }
/// while let pair = try duplicates.nextPair() { print(pair.first.key, pair.second.key) }
/// ```
///
/// Only one task at a time may use an instance.
public final class ProfileDuplicates {
    /// Profiles whose values are equal apart from case, accents, spaces and punctuation.
    public struct Group: Hashable, Sendable {
        /// The number of profiles.
        public let count: Int
        /// The first profiles by their ids, at most 1,000.
        public let members: [Member]
    }

    /// Two profiles with similar names.
    public struct Pair: Hashable, Sendable {
        /// The profile with the smaller id.
        public let first: Member
        /// The profile with the greater id.
        public let second: Member
        /// The number of letters that differ. Zero if the names differ only in case, accents, punctuation or the order
        /// of words.
        public let distance: Int
    }

    /// A profile of a group or of a pair.
    public struct Member: Hashable, Sendable {
        /// The id of the profile.
        public let id: Int64
        /// The primary key of the profile.
        public let key: String
        /// In a group, the values of ``ProfileDuplicates/fields``. In a pair, the values of
        /// ``ProfileDuplicates/nameFields``.
        public let values: [String?]
    }

    /// The fields whose values are equal in a group.
    public let fields: [FieldName]
    /// The fields that make the names of pairs. Empty if no names are compared.
    public let nameFields: [FieldName]
    private let groups: RecordSorter?
    private let pairs: RecordSorter?
    /// The record after the last group that was returned.
    private var groupHead: RecordSorter.Record?
    private var lastPair: [UInt8]?

    init(
        fields: [FieldName], nameFields: [FieldName], groups: RecordSorter?, pairs: RecordSorter?
    ) throws(ComparisonError) {
        self.fields = fields
        self.nameFields = nameFields
        self.groups = groups
        self.pairs = pairs
        groupHead = try Self.next(of: groups)
    }

    /// Returns the next group of at least two profiles; nil after the last one. Groups are sorted by their values.
    ///
    /// - Throws: ``ComparisonError/sorting(code:)``.
    public func nextGroup() throws(ComparisonError) -> Group? {
        while let first = groupHead {
            let key = first.key.dropLast(8)
            var members = [try Member(first.contents, columns: fields.count)]
            var count = 1
            groupHead = try Self.next(of: groups)
            while let next = groupHead, next.key.dropLast(8) == key {
                count += 1
                if members.count < Self.mostMembers {
                    members.append(try Member(next.contents, columns: fields.count))
                }
                groupHead = try Self.next(of: groups)
            }
            if count > 1 { return Group(count: count, members: members) }
        }
        return nil
    }

    /// Returns the next pair of profiles with similar names; nil after the last one. Pairs are sorted by their ids.
    ///
    /// - Throws: ``ComparisonError/sorting(code:)``.
    public func nextPair() throws(ComparisonError) -> Pair? {
        while let record = try Self.next(of: pairs) {
            // A pair may have been found in more than one order of the names.
            guard record.key != lastPair else { continue }
            lastPair = record.key
            let length = Int(record.contents.length(at: 1))
            let rest = record.contents.dropFirst(5)
            let count = nameFields.count
            return Pair(
                first: try Member(Array(rest.prefix(length)), columns: count),
                second: try Member(Array(rest.dropFirst(length)), columns: count), distance: Int(record.contents[0]))
        }
        return nil
    }

    private static let mostMembers = 1_000

    private static func next(of sorter: RecordSorter?) throws(ComparisonError) -> RecordSorter.Record? {
        do throws(ByteStreamError) { return try sorter?.next() } catch { throw .sorting(code: error.code) }
    }
}

/// Unavailable, because only one task at a time may use the duplicates.
@available(*, unavailable)
extension ProfileDuplicates: Sendable {}

extension ProfileDuplicates.Member {
    /// The bytes of a member: the id, then the key and the values in the form of ``StoredRows/record(ofRow:columns:)``.
    static func contents(id: Int64, _ record: [UInt8]) -> [UInt8] {
        Swift.withUnsafeBytes(of: id.bigEndian) { Array($0) } + record
    }

    init(_ contents: [UInt8], columns: Int) throws(ComparisonError) {
        let id = contents.prefix(8).reduce(0 as UInt64) { $0 << 8 | UInt64($1) }
        var cells = StoredRows(columns: columns + 1, mostBytes: .max)
        do throws(ProfileStoreError) {
            try cells.append(record: Array(contents.dropFirst(8)), columns: columns + 1)
        } catch {
            throw .store(error, .first)
        }
        self.init(
            id: Int64(bitPattern: id), key: String(cells.cell(0, 0)),
            values: (1..<columns + 1).map { cells.isAbsent(0, $0) ? nil : String(cells.cell(0, $0)) })
    }
}
