internal import ProfileCore
internal import ProfileStore

/// All that a store in memory holds at one moment. It is a value: whoever has one sees nothing of what is written
/// later, and a transaction is a copy that takes the place of the one before.
///
/// It is the plain description of what a store does, by which others are measured. So it looks at every profile where
/// that is simpler.
struct MemoryState: Sendable {
    /// Every schema that was ever in force, oldest first.
    private(set) var schemas: [AdoptedSchema] = []
    private(set) var profiles: [Int64: MemoryProfile] = [:]
    /// The id that the next profile gets; none is given twice.
    private(set) var nextID: Int64 = 1
    private var newestID: Int64 = 0
    var throttles = MemoryThrottles()
    var tokens = MemoryTokens()
    var log = MemoryLog()
    /// The fingerprint of the store of which this one is a copy that is not at its end.
    private(set) var copyOf: String?
    /// What came of writes that have a key, in their stored form.
    private var keyedWrites: [WriteKey: (request: String, outcome: String, time: Timestamp)] = [:]
    /// The columns that profiles may have values in: those of the standard schema and of all that were in force.
    private var columns = Set(ProfileSchema.standard.openFields.map(\.column))
    /// Who has a value in a column that is unique under the rules in force.
    private var owners: [FieldName: [ComparedText: Int64]] = [:]

    /// A store without profiles, under its first schema.
    init(_ schema: ProfileSchema, at time: Timestamp) throws(ProfileStoreError) {
        try putInForce(schema, at: time)
    }

    // MARK: Rules

    /// The rules in force: a store has had at least one schema.
    var rules: AdoptedSchema { schemas[schemas.count - 1] }

    private var rulesVersion: Int { schemas.last?.version ?? 0 }

    /// The rules in force, when they are still those that a value was judged by.
    func rules(being schema: ProfileSchema) throws(ProfileStoreError) -> AdoptedSchema {
        guard rules.schema == schema else { throw .schemaChanged(version: rules.version) }
        return rules
    }

    /// Makes a schema the one in force. What it leaves out, profiles keep.
    mutating func putInForce(
        _ schema: ProfileSchema, as version: Int? = nil, at time: Timestamp
    ) throws(ProfileStoreError) {
        if let key = schemas.last?.schema.primaryKey.name, key != schema.primaryKey.name, !profiles.isEmpty {
            throw .otherPrimaryKey(schema.primaryKey.name, inForce: key)
        }
        columns.formUnion(schema.openFields.map(\.column))
        guard columns.count + Self.ownColumns <= Self.mostColumns else {
            throw .tooManyColumns(limit: Self.mostColumns)
        }
        let unique = schema.fields.filter(\.isUnique)
        for field in unique where owners[field.column] == nil {
            let repeated = repeatedValues(in: field.column)
            guard repeated.isEmpty else { throw .repeatedValues(field.name, repeated) }
        }
        schemas.append(
            AdoptedSchema(
                version: version ?? rulesVersion + 1, fingerprint: schema.fingerprint, adoptedAt: time, schema: schema))
        owners = [:]
        for column in unique.map(\.column) {
            owners[column] = [:]
            for (id, profile) in profiles { if let text = profile.comparedText(column) { owners[column]?[text] = id } }
        }
    }

    /// As many columns as a table in SQLite may have, and how many of them are no field: what is refused in a file is
    /// refused here too.
    private static let mostColumns = 250
    private static let ownColumns = 10

    private func repeatedValues(in column: FieldName) -> [String] {
        let values = Dictionary(grouping: profiles.values.compactMap { $0.comparedText(column) }) { $0 }
        return values.filter { $0.value.count > 1 }.keys.sorted().prefix(10).map(\.text)
    }

    /// Whether the rules in force have judged every password: none was brought as a hash or set under other ones (L1).
    var haveJudgedPasswords: Bool {
        let versions = schemas.filter { $0.schema[.password] == rules.schema[.password] }.map(\.version)
        return profiles.values.lazy.compactMap(\.password).allSatisfy {
            $0.isJudged && versions.contains($0.schemaVersion)
        }
    }

    // MARK: Looking

    /// Profiles with a higher id than this one, in the order of their ids.
    func profiles(after id: Int64) -> some Sequence<MemoryProfile> {
        (min(max(id, 0), newestID) + 1..<newestID + 1).lazy.compactMap { profiles[$0] }
    }

    /// The profile that is found by a key.
    func profile(_ key: ProfileKey) -> MemoryProfile? {
        switch key {
        case .id(let id): profiles[id]
        case .username(let username): owner(of: username, in: .username).flatMap { profiles[$0] }
        }
    }

    /// Why a profile cannot be edited that was read before; nil if it still has its revision.
    func problem(with stored: Profile) -> ProfileStoreError? {
        guard let current = profiles[stored.id] else { return .notFound(username: stored.username) }
        if current.revision == stored.revision { return nil }
        return .staleRevision(expected: stored.revision, current: current.revision)
    }

    /// The profile that has a value in a column of unique ones.
    func owner(of value: String, in column: FieldName) -> Int64? { owners[column]?[ComparedText(value, in: column)] }

    /// The unique fields of which another profile has the row's value.
    func takenFields(of rows: ValidProfiles, row: Int, besides id: Int64?) -> [FieldName] {
        rules.schema.fields.indices.compactMap { index in
            let field = rules.schema.fields[index]
            guard field.isUnique, let value = rows.text(row: row, field: index),
                let owner = owner(of: value, in: field.column), owner != id
            else { return nil }
            return field.name
        }
    }

    // MARK: Writing

    /// Stores a row as a new profile.
    ///
    /// - Returns: Nil if another profile has a value of its unique fields.
    mutating func insert(row: Int, of rows: ValidProfiles, at time: Timestamp) -> MemoryProfile? {
        guard takenFields(of: rows, row: row, besides: nil).isEmpty else { return nil }
        var profile = MemoryProfile(id: nextID, at: time)
        profile.take(row: row, of: rows, judgedBy: rules, at: time)
        put(profile, at: nextID)
        nextID += 1
        return profile
    }

    /// What became of an update.
    enum UpdateOutcome {
        case updated(MemoryProfile)
        /// The profile is gone, or has another revision.
        case stale
        /// Other profiles have the values of these unique fields.
        case duplicate([FieldName])
    }

    /// Stores one row in the place of a profile that has this revision.
    mutating func update(
        id: Int64, revision: Int64, with row: ValidProfiles, at time: Timestamp
    ) -> UpdateOutcome {
        guard var profile = profiles[id], profile.revision == revision else { return .stale }
        let taken = takenFields(of: row, row: 0, besides: id)
        guard taken.isEmpty else { return .duplicate(taken) }
        let password = profile.password?.hash
        profile.revision += 1
        profile.take(row: 0, of: row, judgedBy: rules, at: time)
        put(profile, at: id)
        if profile.password?.hash != password { endAccess(to: id) }
        return .updated(profile)
    }

    /// Sets a password that the rules in force have judged.
    mutating func setPassword(_ hash: String, of id: Int64, at time: Timestamp) {
        let password = MemoryProfile.Password(hash: hash, schemaVersion: rules.version, isJudged: true)
        change(id) { profile in
            profile.revision += 1
            profile.updatedAt = time
            profile.password = password
        }
        endAccess(to: id)
    }

    /// Ends the sessions that a profile's password has started, and its reset.
    private mutating func endAccess(to id: Int64) { _ = tokens.end { $0.owner?.profileID == id } }

    mutating func remove(_ id: Int64) {
        put(nil, at: id)
        endAccess(to: id)
    }

    mutating func giveIDs(from id: Int64) { nextID = id }

    /// Changes what no unique field holds.
    mutating func change(_ id: Int64, _ change: (inout MemoryProfile) -> Void) {
        guard var profile = profiles[id] else { return }
        change(&profile)
        put(profile, at: id)
    }

    // MARK: Writes that may be repeated

    /// What came of a write that was made with the request's key; nil where none was, or too long ago.
    func outcome(of request: KeyedRequest, at time: Timestamp) throws(ProfileStoreError) -> KeyedOutcome? {
        guard let write = keyedWrites[request.key], write.time > WriteKey.forgotten(at: time) else { return nil }
        return try request.outcome(of: write.request, stored: write.outcome, under: rules.schema)
    }

    mutating func remember(_ outcome: KeyedOutcome, of request: KeyedRequest, at time: Timestamp) {
        keyedWrites = keyedWrites.filter { $0.value.time > WriteKey.forgotten(at: time) }
        keyedWrites[request.key] = (request.fingerprint, outcome.stored, time)
    }

    // MARK: Copying a whole store

    var head: StoreHead {
        StoreHead(
            schemas: schemas, tokens: tokens.tokens(.access), nextProfileID: nextID, isEmpty: profiles.isEmpty,
            copyOf: copyOf)
    }

    mutating func beginCopy(of other: StoreHead, restarting: Bool) throws(ProfileStoreError) {
        guard try head.beginsCopy(of: other, restarting: restarting, at: "memory") else { return }
        profiles = [:]
        nextID = 1
        owners = [:]
        schemas = []
        for adopted in other.schemas { try putInForce(adopted.schema, as: adopted.version, at: adopted.adoptedAt) }
        copyOf = other.fingerprint
    }

    mutating func place(_ rows: StoredRows, of fields: [FieldRules]) throws(ProfileStoreError) {
        for (index, row) in rows.rows.enumerated() {
            guard let record = row.record else { continue }
            let profile = MemoryProfile(copying: index, of: rows, record, fields)
            let isTaken = owners.contains { column, owners in
                profile.comparedText(column).map { owners[$0] != nil } ?? false
            }
            guard profiles[row.id] == nil, !isTaken else { throw .notUnused(path: "memory") }
            put(profile, at: row.id)
            nextID = max(nextID, row.id + 1)
        }
    }

    mutating func endCopy(of other: StoreHead) {
        for token in other.tokens { _ = tokens.issue(token, to: nil, atMost: .max) }
        nextID = other.nextProfileID
        copyOf = nil
    }

    // MARK: Owners

    /// Puts a profile in the place of what has its id, and keeps the owners of unique values.
    private mutating func put(_ profile: MemoryProfile?, at id: Int64) {
        // Of the keys alone: a walk over the dictionary would hold it, and each change would copy it.
        for column in Array(owners.keys) {
            if let text = profiles[id]?.comparedText(column) { owners[column]?[text] = nil }
            if let text = profile?.comparedText(column) { owners[column]?[text] = id }
        }
        profiles[id] = profile
        newestID = max(newestID, id)
    }
}
