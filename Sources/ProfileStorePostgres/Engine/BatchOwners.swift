internal import PostgresAccess
internal import ProfileCore
internal import ProfileStore

/// The owners of the unique values in a batch's rows. An owner is a stored profile that has such a value. The owners
/// are read from the table, so they do not show the batch's own changes.
struct BatchOwners {
    let table: ProfileTable
    let uniqueFields: [(index: Int, rules: FieldRules)]
    /// The position of the primary key among the unique fields.
    let keyPosition: Int
    /// Whether each owner of a primary key is read as a whole profile. If false, only the owner's id is read.
    let hasProfiles: Bool
    /// The owners of the values of each unique field.
    private var owners: [FieldOwners] = []
    /// The position of each profile in the answers for the primary key. The keys of the dictionary are the ids of the
    /// profiles. Empty if `hasProfiles` is false.
    private lazy var places = placesOfProfiles()

    private struct FieldOwners {
        var values: UniqueValues
        var answers: [Rows] = []
        /// The positions of the owners in `answers`, one for each row of the batch.
        var places: [Place?]

        func id(ofRow row: Int) -> Int64? { places[row].flatMap { answers[$0.answer].number($0.row, 0) } }

        mutating func add(_ found: [Int?], in answer: Rows) {
            answers.append(answer)
            for (row, owner) in found.enumerated() {
                if let owner { places[row] = Place(answer: answers.count - 1, row: owner) }
            }
        }
    }

    private struct Place {
        let answer: Int
        let row: Int
    }

    /// Creates an empty value, before owners are read.
    init(in table: ProfileTable) { self.init(in: table, hasProfiles: false) }

    private init(in table: ProfileTable, hasProfiles: Bool) {
        self.table = table
        self.hasProfiles = hasProfiles
        uniqueFields = table.uniqueFields
        keyPosition = uniqueFields.firstIndex { $0.rules.isPrimaryKey } ?? 0
    }

    // MARK: Reading

    /// Reads the owners of the unique values of all rows.
    init(
        of rows: ValidProfiles, in table: ProfileTable, withProfiles: Bool, _ transaction: Transaction
    ) async throws {
        self.init(in: table, hasProfiles: withProfiles)
        owners = uniqueFields.map { index, field in
            FieldOwners(
                values: UniqueValues(of: rows, in: index, field), places: Array(repeating: nil, count: rows.count))
        }
        try await readInOrder(of: rows.count, transaction)
        let questions: [(position: Int, command: Command)] = owners.indices.compactMap { position in
            let (field, places) = (owners[position].values.field, owners[position].places)
            guard let values = owners[position].values.parameter(where: { places[$0] == nil }) else { return nil }
            return (position, selection(of: values, by: field))
        }
        guard !questions.isEmpty else { return }
        for ((position, _), answer) in zip(questions, try await transaction.run(questions.map(\.command))) {
            let column = valueColumn(in: owners[position].values.field)
            let found = owners[position].values.owners(in: answer, column: column)
            owners[position].add(found, in: answer)
        }
    }

    /// Reads profiles sorted by id, starting with the profile that has the first row's primary key. If most of the
    /// first profiles do not belong to the batch's rows, no more profiles are read.
    ///
    /// If a file is imported again, its rows usually have the order of the first import. This is also the order of the
    /// ids. Reading the table in this order is three times as fast as one look-up for each key.
    private mutating func readInOrder(of rowCount: Int, _ transaction: Transaction) async throws {
        let values = owners[keyPosition].values
        guard let first = values.first, rowCount > Self.probeCount else { return }
        for limit in [Self.probeCount, rowCount] {
            let command = Command(
                selection(by: values.field)
                    + " WHERE id >= (SELECT id FROM profiles WHERE username$key = $1) ORDER BY id LIMIT $2",
                [.text(first), .number(Int64(limit))])
            let answer = try await transaction.run([command])[0]
            let found = values.ownersInOrder(in: answer, column: valueColumn(in: values.field))
            if limit == rowCount {
                owners[keyPosition].add(found, in: answer)
            } else if found.count(where: { $0 != nil }) < limit / 2 {
                return
            }
        }
    }

    /// The number of profiles that are read first. These profiles show whether the rows of the batch are in the order
    /// of the ids.
    private static let probeCount = 32

    /// The owner of a value of a unique field. `profile` and `hash` have a value only if the field is the primary key
    /// and `hasProfiles` is true.
    struct Owner {
        let value: [UInt8]
        let id: Int64
        let profile: Profile?
        let hash: String?
    }

    /// Reads the owners of some values of the unique field at `position`.
    func read(_ values: [String], of position: Int, _ transaction: Transaction) async throws -> [Owner] {
        let field = uniqueFields[position].rules
        let answer = try await transaction.run([selection(of: [.texts(values)], by: field)])[0]
        let (column, isWithProfiles) = (valueColumn(in: field), isWithProfiles(field))
        return (0..<answer.count).compactMap { row in
            guard let id = answer.number(row, 0), let value = answer.withBytes(row, column, { Array($0) })
            else { return nil }
            guard isWithProfiles else { return Owner(value: value, id: id, profile: nil, hash: nil) }
            return Owner(
                value: value, id: id, profile: table.profile(in: answer, row), hash: answer.text(row, column - 1))
        }
    }

    /// Selects the profiles that have some values of a unique field, sorted by the value.
    private func selection(of values: Values, by field: FieldRules) -> Command {
        let column = ProfileTable.comparedColumn(field)
        return Command("\(selection(by: field)) WHERE \(column) = ANY ($1::text[]) ORDER BY \(column)", values)
    }

    /// The beginning of a statement that finds profiles by the values of a unique field.
    private func selection(by field: FieldRules) -> String {
        let column = ProfileTable.comparedColumn(field)
        return isWithProfiles(field) ? table.selectionWithHash(column) : "SELECT id, \(column) FROM profiles"
    }

    private func isWithProfiles(_ field: FieldRules) -> Bool { hasProfiles && field.isPrimaryKey }

    /// Returns the position of the column with the owner's value, in the form that is used for comparisons. If whole
    /// profiles are selected, this column is the last column.
    private func valueColumn(in field: FieldRules) -> Int {
        isWithProfiles(field) ? ProfileTable.firstFieldColumn + table.openFields.count + 1 : 1
    }

    // MARK: Answers

    /// Returns the id of the profile that has a row's value in the unique field at `position`.
    func id(ofRow row: Int, _ position: Int) -> Int64? { owners[position].id(ofRow: row) }

    /// Returns the id of the profile that has a value. The outer optional of the result is nil if no row of the batch
    /// has the value. The inner optional is nil if no profile has the value.
    mutating func id(of value: [UInt8], _ position: Int) -> Int64?? {
        let row = value.withUnsafeBufferPointer { owners[position].values.row(with: $0) }
        return row.map { owners[position].id(ofRow: $0) }
    }

    mutating func profile(_ id: Int64) -> Profile? {
        places[id].map { table.profile(in: owners[keyPosition].answers[$0.answer], $0.row) }
    }

    mutating func hash(_ id: Int64) -> String? {
        places[id].flatMap {
            owners[keyPosition].answers[$0.answer].text($0.row, valueColumn(in: table.schema.primaryKey) - 1)
        }
    }

    /// Appends the profile that has the primary key of a row, if there is one.
    func append(ofRow row: Int, to matches: inout StoredMatches) {
        guard let place = owners[keyPosition].places[row] else { return }
        let (answer, position) = (owners[keyPosition].answers[place.answer], place.row)
        matches.append(
            StoredMatches.Match(
                id: answer.number(position, 0) ?? 0, revision: answer.number(position, 1) ?? 0,
                schemaVersion: Int(answer.number(position, 4) ?? 0), isValid: answer.isNull(position, 5)), ofRow: row)
        // The password hash follows the fields.
        for column in ProfileTable.firstFieldColumn...ProfileTable.firstFieldColumn + table.openFields.count {
            if answer.withBytes(position, column, { matches.append(cell: $0.span) }) == nil {
                matches.appendAbsentCell()
            }
        }
    }

    private func placesOfProfiles() -> [Int64: Place] {
        guard hasProfiles else { return [:] }
        let owners = owners[keyPosition]
        let places = owners.places.enumerated().compactMap { row, place in
            place.flatMap { place in owners.id(ofRow: row).map { ($0, place) } }
        }
        return Dictionary(places, uniquingKeysWith: { first, _ in first })
    }
}
