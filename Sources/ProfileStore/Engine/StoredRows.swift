package import ProfileCore

/// What to read of profiles one after another.
package struct StoreScan: Sendable {
    /// The fields, in the order of their cells; one that is secret is absent.
    package var fields: [FieldRules]
    /// Whether to read the hashes of passwords too.
    package var includesHashes = false
    /// Whether to read how they were judged.
    package var includesJudgements = false
    /// Whether to read all that is kept of them, for a copy.
    package var includesRecords = false
    /// Leaves out profiles that were judged by one of these versions of the schema.
    package var besides: [Int] = []
    /// Only profiles with a higher id.
    package var after: Int64 = 0
    /// Most profiles.
    package var mostRows: Int
    /// The rows end with the one that takes their cells to so many bytes.
    package var mostBytes: Int

    package init(
        fields: [FieldRules], includesHashes: Bool = false, includesJudgements: Bool = false, besides: [Int] = [],
        mostRows: Int, mostBytes: Int
    ) {
        self.fields = fields
        self.includesHashes = includesHashes
        self.includesJudgements = includesJudgements
        self.besides = besides
        self.mostRows = mostRows
        self.mostBytes = mostBytes
    }
}

/// Stored profiles as raw cells in one buffer, without a `String` a cell.
package struct StoredRows: Sendable {
    /// What is known of a profile besides its cells.
    package struct Row: Sendable {
        package let id: Int64
        /// Where that was asked for.
        package let judgement: Judgement?
        /// The hash of its password, where that was asked for: in memory that is zeroed at the end.
        package let hash: Secret?
        /// Where that was asked for.
        package let record: Record?

        package init(id: Int64, judgement: Judgement?, hash: Secret?, record: Record? = nil) {
            self.id = id
            self.judgement = judgement
            self.hash = hash
            self.record = record
        }
    }

    /// All that is kept of a profile besides its id and its values.
    package struct Record: Sendable {
        package let revision: Int64
        package let createdAt: Timestamp
        package let updatedAt: Timestamp
        /// The version of the schema that it was last judged by.
        package let schemaVersion: Int
        /// The issues that are remembered of it, in their stored form.
        package let issues: String?
        package let password: Password?
        package let passcodeHash: Secret?

        package struct Password: Sendable {
            package let hash: Secret
            /// The version in force when it was set.
            package let schemaVersion: Int
            /// Whether that one has judged it: it was not brought as a hash.
            package let isJudged: Bool

            package init(hash: Secret, schemaVersion: Int, isJudged: Bool) {
                self.hash = hash
                self.schemaVersion = schemaVersion
                self.isJudged = isJudged
            }
        }

        package init(
            revision: Int64, createdAt: Timestamp, updatedAt: Timestamp, schemaVersion: Int, issues: String?,
            password: Password?, passcodeHash: Secret?
        ) {
            self.revision = revision
            self.createdAt = createdAt
            self.updatedAt = updatedAt
            self.schemaVersion = schemaVersion
            self.issues = issues
            self.password = password
            self.passcodeHash = passcodeHash
        }
    }

    /// How a profile was judged.
    package struct Judgement: Sendable {
        package let revision: Int64
        package let schemaVersion: Int
        package let hasPassword: Bool
        /// The issues that are remembered of it, in their stored form.
        package let issues: String?

        package init(revision: Int64, schemaVersion: Int, hasPassword: Bool, issues: String?) {
            self.revision = revision
            self.schemaVersion = schemaVersion
            self.hasPassword = hasPassword
            self.issues = issues
        }
    }

    package private(set) var rows: [Row] = []
    private var bytes: [UInt8] = []
    /// Where each cell ends, and whether it is there at all: an empty one may be either.
    private var cells: [(end: Int, isAbsent: Bool)] = []
    private let columnCount: Int
    private let mostRows: Int
    private let mostBytes: Int
    /// The id that the next row must be above.
    private var lastID: Int64

    /// Has room for what is to be read.
    package init(of scan: StoreScan) {
        columnCount = scan.fields.count
        mostRows = scan.mostRows
        mostBytes = scan.mostBytes
        lastID = scan.after
        rows.reserveCapacity(min(scan.mostRows, 1 << 13))
        cells.reserveCapacity(min(scan.mostRows, 1 << 13) * scan.fields.count)
        bytes.reserveCapacity(min(scan.mostBytes, 1 << 18))
    }

    /// The bytes of a cell; none where it is absent.
    @_lifetime(borrow self)
    package func cell(_ row: Int, _ column: Int) -> Span<UInt8> {
        let index = row * columnCount + column
        let start = index == 0 ? 0 : cells[index - 1].end
        return bytes.span.extracting(start..<cells[index].end)
    }

    package func isAbsent(_ row: Int, _ column: Int) -> Bool { cells[row * columnCount + column].isAbsent }

    // MARK: Reading them

    /// Whether these are rows or bytes enough.
    package var isFull: Bool { rows.count >= mostRows || bytes.count >= mostBytes }

    /// Begins a row; as many cells follow as there are fields.
    ///
    /// - Throws: `corrupt` if the row's id is not above the id of the row before it, or above the id that the scan begins
    ///   after. A damaged file may hold a page twice, and a walk that goes back to a lower id never ends.
    package mutating func append(_ row: Row) throws(ProfileStoreError) {
        guard row.id > lastID else { throw .outOfOrder(row.id, after: lastID) }
        lastID = row.id
        rows.append(row)
    }

    /// Adds a copy of the row's next cell.
    package mutating func append(cell: Span<UInt8>) {
        cell.withUnsafeBufferPointer { bytes.append(contentsOf: $0) }
        cells.append((bytes.count, false))
    }

    /// Adds a cell that has no value.
    package mutating func appendAbsentCell() { cells.append((bytes.count, true)) }
}
