package import ProfileCore

/// The part of the stored profiles that a scan reads.
package struct StoreScan: Sendable {
    /// The fields, in the order of their cells. Secret fields are absent in every row.
    package var fields: [FieldRules]
    /// Whether to read the hashes of passwords.
    package var includesHashes = false
    /// Whether to read the results of the last validation; see ``StoredRows/Judgement``.
    package var includesJudgements = false
    /// Whether to read whole records, for a copy.
    package var includesRecords = false
    /// The scan skips the profiles that were last validated by one of these versions of the schema.
    package var besides: [Int] = []
    /// Reads only profiles with a higher id.
    package var after: Int64 = 0
    /// The maximum number of rows.
    package var mostRows: Int
    /// The maximum number of bytes. The scan ends as soon as the cells of its rows reach this number of bytes.
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

/// Stored profiles as raw cells in one buffer, without a `String` for each cell.
package struct StoredRows: Sendable {
    /// A profile without its cells.
    package struct Row: Sendable {
        package let id: Int64
        /// The judgement, if the scan reads it.
        package let judgement: Judgement?
        /// The hash of the password, if the scan reads it. Its memory is zeroed when the last copy of the
        /// `Secret` is released.
        package let hash: Secret?
        /// The record, if the scan reads it.
        package let record: Record?

        package init(id: Int64, judgement: Judgement?, hash: Secret?, record: Record? = nil) {
            self.id = id
            self.judgement = judgement
            self.hash = hash
            self.record = record
        }
    }

    /// All stored data of a profile except its id and its values.
    ///
    /// A class, because few scans read records. A row without a record then stores only an empty reference.
    package final class Record: Sendable {
        package let revision: Int64
        package let createdAt: Timestamp
        package let updatedAt: Timestamp
        /// The version of the schema that last validated the profile.
        package let schemaVersion: Int
        /// The stored form of the profile's issues; nil if the profile is valid.
        package let issues: String?
        package let password: Password?
        package let passcodeHash: Secret?

        package struct Password: Sendable {
            package let hash: Secret
            /// The version of the schema in force when the password was set.
            package let schemaVersion: Int
            /// Whether the password was validated by the rules of that version. False if the caller supplied only the
            /// hash.
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

    /// The result of the last validation of a profile.
    package struct Judgement: Sendable {
        package let revision: Int64
        package let schemaVersion: Int
        package let hasPassword: Bool
        /// The stored form of the profile's issues; nil if the profile is valid.
        package let issues: String?

        package init(revision: Int64, schemaVersion: Int, hasPassword: Bool, issues: String?) {
            self.revision = revision
            self.schemaVersion = schemaVersion
            self.hasPassword = hasPassword
            self.issues = issues
        }
    }

    package private(set) var rows: [Row] = []
    @usableFromInline var cells: StoredCells
    private let mostRows: Int
    private let mostBytes: Int
    /// The id of the last row. The next row must have a greater id. Nil if the rows may have any order.
    private var lastID: Int64?

    /// Reserves memory for a scan.
    package init(of scan: StoreScan) {
        cells = StoredCells(columns: scan.fields.count)
        mostRows = scan.mostRows
        mostBytes = scan.mostBytes
        lastID = scan.after
        rows.reserveCapacity(min(scan.mostRows, 1 << 13))
        // The cells of the last row may exceed the maximum number of bytes, so 1 KiB more is reserved.
        cells.reserve(rows: min(scan.mostRows, 1 << 13), bytes: min(scan.mostBytes, 1 << 18) + 1 << 10)
    }

    /// Creates rows that may have any order of ids. The rows are full when their cells reach `mostBytes` bytes.
    package init(columns: Int, mostBytes: Int) {
        cells = StoredCells(columns: columns)
        mostRows = .max
        self.mostBytes = mostBytes
    }

    /// Returns the bytes of a cell; no bytes if it is absent.
    @inlinable @inline(__always)
    @_lifetime(borrow self)
    package func cell(_ row: Int, _ column: Int) -> Span<UInt8> { cells.cell(row, column) }

    @inlinable @inline(__always)
    package func isAbsent(_ row: Int, _ column: Int) -> Bool { cells.isAbsent(row, column) }

    // MARK: Appending rows

    /// Whether the rows have reached a limit of the scan.
    package var isFull: Bool { rows.count >= mostRows || cells.byteCount >= mostBytes }

    /// Appends a row. The caller then appends one cell for each field.
    ///
    /// - Throws: `corrupt` if the row's id is not greater than the previous row's id. The first row's id must be
    ///   greater than the id after which the scan begins. A damaged file may hold a page twice, and a scan that goes
    ///   back to a lower id never ends.
    package mutating func append(_ row: Row) throws(ProfileStoreError) {
        if let last = lastID {
            guard row.id > last else { throw .outOfOrder(row.id, after: last) }
            lastID = row.id
        }
        rows.append(row)
    }

    /// Appends a copy of the row's next cell.
    package mutating func append(cell: Span<UInt8>) { cells.append(cell) }

    /// Appends a cell without a value.
    package mutating func appendAbsentCell() { cells.appendAbsent() }
}

extension StoredRows.Row {
    /// Returns the text of a fact. Nil for the fact `issues` if the profile has none. All facts except the id need
    /// ``record``.
    package func text(of fact: ProfileFact) -> String? {
        switch fact {
        case .id: String(id)
        case .revision: record.map { String($0.revision) }
        case .createdAt: record?.createdAt.description
        case .updatedAt: record?.updatedAt.description
        case .schemaVersion: record.map { String($0.schemaVersion) }
        case .status: record.map { $0.issues == nil ? Profile.Status.valid.rawValue : Profile.Status.invalid.rawValue }
        case .issues: record?.issues.map { [ReportedIssue](stored: $0).map(\.message).joined(separator: "; ") }
        }
    }
}
