package import ProfileCore

/// The stored profiles whose primary keys occur in the rows of a batch.
package struct StoredMatches: Sendable {
    /// A stored profile without its values.
    package struct Match: Sendable {
        package let id: Int64
        package let revision: Int64
        /// The version of the schema that last validated the profile.
        package let schemaVersion: Int
        /// Whether the profile was valid when it was last validated.
        package let isValid: Bool

        package init(id: Int64, revision: Int64, schemaVersion: Int, isValid: Bool) {
            self.id = id
            self.revision = revision
            self.schemaVersion = schemaVersion
            self.isValid = isValid
        }
    }

    private var matches: [Match] = []
    /// The cells of each match. They are the values of the non-secret fields in the schema's order, and then the
    /// password hash.
    private var cells: StoredCells
    /// The position of each row's match in `matches`; nil if no profile matches. If `wantsStoredProfiles` of the batch
    /// is false, `matches` is empty, and each row with a match has the position 0.
    private var positions: [Int?]
    private let firstRow: Int

    /// - Parameters:
    ///   - rows: The rows.
    ///   - columns: The number of cells of each match.
    package init(of rows: Range<Int>, columns: Int) {
        positions = Array(repeating: nil, count: rows.count)
        firstRow = rows.lowerBound
        cells = StoredCells(columns: columns)
        matches.reserveCapacity(rows.count)
    }

    /// Returns the position of a row's match; nil if no profile has the row's primary key.
    package func position(ofRow row: Int) -> Int? { positions[row - firstRow] }

    package subscript(position: Int) -> Match { matches[position] }

    package func isAbsent(_ position: Int, _ column: Int) -> Bool { cells.isAbsent(position, column) }

    @_lifetime(borrow self)
    package func cell(_ position: Int, _ column: Int) -> Span<UInt8> { cells.cell(position, column) }

    // MARK: Appending matches

    /// Records that a stored profile has the row's primary key. The profile itself is not recorded.
    package mutating func append(row: Int) { positions[row - firstRow] = 0 }

    /// Appends the match of a row. The caller then appends the cells of the match.
    package mutating func append(_ match: Match, ofRow row: Int) {
        positions[row - firstRow] = matches.count
        matches.append(match)
    }

    /// Appends a copy of the next cell.
    package mutating func append(cell: Span<UInt8>) { cells.append(cell) }

    /// Appends a cell without a value.
    package mutating func appendAbsentCell() { cells.appendAbsent() }
}

extension StoredMatches {
    /// Creates the matches of rows by calling `stored` for one row after the other.
    ///
    /// - Parameters:
    ///   - rows: The rows of a batch.
    ///   - range: The rows to look for.
    ///   - schema: The rules in force.
    ///   - stored: Returns the profile that has this username, together with its password hash.
    /// - Throws: What `stored` throws.
    package init<Failure: Error>(
        of rows: ValidProfiles, _ range: Range<Int>, under schema: ProfileSchema,
        _ stored: (_ username: String) throws(Failure) -> StoredMatch
    ) throws(Failure) {
        self.init(of: range, columns: schema.openFields.count + 1)
        for row in range {
            guard let username = rows.text(row: row, field: schema.primaryKeyIndex) else { continue }
            let match = try stored(username)
            if let profile = match.profile { append(profile, match.passwordHash, ofRow: row) }
        }
    }

    /// Appends the match of a row with its cells.
    package mutating func append(_ profile: Profile, _ passwordHash: String?, ofRow row: Int) {
        append(
            Match(
                id: profile.id, revision: profile.revision, schemaVersion: profile.schemaVersion,
                isValid: profile.status == .valid), ofRow: row)
        for value in profile.values { append(text: value) }
        append(text: passwordHash)
    }

    private mutating func append(text: String?) {
        if let text { append(cell: text.utf8Span.span) } else { appendAbsentCell() }
    }
}
