internal import ProfileCore
internal import ProfileStore

/// The whole content of a store in memory at one moment. The state is a value type, so writes do not change the copy
/// that a reader holds. A transaction changes its own copy, and then replaces the state of the store with this copy.
///
/// It is the reference model of a store: tests compare other engines with it. Its code is simple, not fast. For
/// example, it scans all profiles if that is simpler.
struct MemoryState: Sendable {
    /// Every schema that was ever in force, oldest first.
    private(set) var schemas: [AdoptedSchema] = []
    private(set) var profiles: [Int64: MemoryProfile] = [:]
    /// The id of the next new profile. The id of a removed profile is never given to another profile.
    private(set) var nextID: Int64 = 1
    private var newestID: Int64 = 0
    var throttles = MemoryThrottles()
    var tokens = MemoryTokens()
    var log = MemoryLog()
    var history = MemoryHistory()
    /// The fingerprint of the source store, if this store is an unfinished copy.
    private(set) var copyOf: String?
    /// The outcomes of writes with an idempotency key, in their stored form, by the texts of the keys.
    private var keyedWrites: [String: (request: String, outcome: String, time: Timestamp)] = [:]
    /// The columns in which profiles may have values. They are the columns of the standard schema and of every schema
    /// that was ever in force.
    private var columns = Set(ProfileSchema.standard.openFields.map(\.column))
    /// For each unique column of the rules in force: the stored values, each with the id of the profile that has this
    /// value.
    private var owners: [FieldColumn: [ComparedText: Int64]] = [:]

    /// Creates a store that has a first schema but no profiles.
    init(_ schema: ProfileSchema, at time: Timestamp) throws(ProfileStoreError) {
        try putInForce(schema, at: time)
    }

    // MARK: Rules

    /// The rules in force. A store always has at least one schema.
    var rules: AdoptedSchema { schemas[schemas.count - 1] }

    private var rulesVersion: Int { schemas.last?.version ?? 0 }

    /// Puts a schema in force. Profiles keep all their values, even in fields that the schema does not have.
    mutating func putInForce(
        _ schema: ProfileSchema, as version: Int? = nil, at time: Timestamp
    ) throws(ProfileStoreError) {
        try schema.requireKey(of: schemas.last?.schema, hasProfiles: !profiles.isEmpty)
        let schema = schema.placed(after: schemas.map(\.schema))
        let count = columns.count + Self.ownColumns
        columns.formUnion(
            try schema.missingColumns(inTableOf: count, atMost: Self.mostColumns) { [columns] in columns.contains($0) })
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

    /// The maximum number of columns, the same as in a store in SQLite.
    private static let mostColumns = 250
    /// The number of columns that are not fields.
    private static let ownColumns = 10

    private func repeatedValues(in column: FieldColumn) -> [String] {
        let values = Dictionary(grouping: profiles.values.compactMap { $0.comparedText(column) }) { $0 }
        return values.filter { $0.value.count > 1 }.keys.sorted().prefix(10).map(\.text)
    }

    /// Whether every password was validated by the rules in force. False if the store received a password only as a
    /// hash, or if other password rules were in force when a password was set (L1).
    var haveJudgedPasswords: Bool {
        let versions = schemas.versions(sharingPasswordRulesOf: rules.schema)
        return profiles.values.lazy.compactMap(\.password).allSatisfy {
            $0.isJudged && versions.contains($0.schemaVersion)
        }
    }

    // MARK: Reading

    /// Returns the profiles whose ids are higher than `id`, ordered by id.
    func profiles(after id: Int64) -> some Sequence<MemoryProfile> {
        (min(max(id, 0), newestID) + 1..<newestID + 1).lazy.compactMap { profiles[$0] }
    }

    /// Returns the profile with this key.
    func profile(_ key: ProfileKey) -> MemoryProfile? {
        switch key {
        case .id(let id): profiles[id]
        case .username(let username): owner(of: username, in: .username).flatMap { profiles[$0] }
        }
    }

    /// Returns the id of the profile that has this value in a unique column.
    func owner(of value: String, in column: FieldColumn) -> Int64? { owners[column]?[ComparedText(value, in: column)] }

    /// Returns the unique fields in which another profile has the same value as the row. Ignores the profile `id`.
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
    /// - Returns: The new profile. Nil if another profile has the same value in a unique field.
    mutating func insert(row: Int, of rows: ValidProfiles, at time: Timestamp) -> MemoryProfile? {
        guard takenFields(of: rows, row: row, besides: nil).isEmpty else { return nil }
        var profile = MemoryProfile(id: nextID, at: time)
        profile.take(FieldSet(0..<rows.fieldCount), ofRow: row, of: rows, judgedBy: rules, at: time)
        put(profile, at: nextID)
        nextID += 1
        return profile
    }

    /// The outcome of an update.
    enum UpdateOutcome {
        case updated(MemoryProfile)
        /// The profile was removed, or its revision is not the expected revision.
        case stale
        /// Other profiles have the same values in these unique fields.
        case duplicate([FieldName])
    }

    /// Updates a profile if its current revision equals `update.revision`.
    mutating func update(_ update: RowUpdate, at time: Timestamp) -> UpdateOutcome {
        let id = update.id
        guard var profile = profiles[id], profile.revision == update.revision else { return .stale }
        let taken = takenFields(of: update.rows, row: update.row, besides: id)
        guard taken.isEmpty else { return .duplicate(taken) }
        let password = profile.password?.hash
        profile.revision += 1
        profile.take(update.fields, ofRow: update.row, of: update.rows, judgedBy: rules, at: time)
        put(profile, at: id)
        if profile.password?.hash != password { endAccess(to: id) }
        return .updated(profile)
    }

    /// Sets a password that was validated by the rules in force.
    mutating func setPassword(_ hash: String, of id: Int64, at time: Timestamp) {
        let password = MemoryProfile.Password(hash: hash, schemaVersion: rules.version, isJudged: true)
        change(id) { profile in
            profile.revision += 1
            profile.updatedAt = time
            profile.password = password
        }
        endAccess(to: id)
    }

    /// Removes a profile's tokens: its sessions, its known devices and its reset.
    private mutating func endAccess(to id: Int64) { _ = tokens.end { $0.owner?.profileID == id } }

    mutating func remove(_ id: Int64) {
        put(nil, at: id)
        endAccess(to: id)
    }

    mutating func apply(
        _ write: ConditionalWrites.Write, of rows: ValidProfiles, at time: Timestamp,
        _ changes: inout ConditionalChanges
    ) -> ConditionalWrites.Outcome {
        switch write {
        case .remove(let profile):
            guard let stored = profiles[profile.id], stored.revision == profile.revision else { return .stale }
            changes.remove(stored.profile(under: self.rules.schema))
            remove(stored.id)
            throttles.forget(stored.username)
        case .update(let update, let stored):
            switch self.update(update, at: time) {
            case .updated(let profile): throttles.move(from: stored.username, to: profile.username)
            case .duplicate(let fields): return .taken(fields)
            case .stale: return .stale
            }
            changes.update(update)
        case .restore(let removed, let row):
            guard profiles[removed.id] == nil, history.hasRemoval(removed) else { return .stale }
            let taken = takenFields(of: rows, row: row, besides: nil)
            guard taken.isEmpty else { return .taken(taken) }
            var profile = MemoryProfile(id: removed.id, at: removed.createdAt)
            profile.revision = removed.revision + 1
            profile.take(FieldSet(0..<rows.fieldCount), ofRow: row, of: rows, judgedBy: self.rules, at: time)
            put(profile, at: removed.id)
            throttles.forget(profile.username)
            changes.restore(removed)
        }
        return .written
    }

    mutating func giveIDs(from id: Int64) { nextID = id }

    /// Changes a profile. The change must not affect a unique field.
    mutating func change(_ id: Int64, _ change: (inout MemoryProfile) -> Void) {
        guard var profile = profiles[id] else { return }
        change(&profile)
        put(profile, at: id)
    }

    // MARK: Idempotent writes

    /// Returns the outcome of an earlier write that had the same idempotency key. Returns nil if there was no such
    /// write, or if its outcome has expired.
    func outcome(of request: KeyedRequest, at time: Timestamp) throws(ProfileStoreError) -> KeyedOutcome? {
        guard let write = keyedWrites[request.key.text], write.time > WriteKey.forgotten(at: time) else { return nil }
        return try request.outcome(of: write.request, stored: write.outcome, under: rules.schema)
    }

    mutating func remember(_ outcome: KeyedOutcome, of request: KeyedRequest, at time: Timestamp) {
        keyedWrites = keyedWrites.filter { $0.value.time > WriteKey.forgotten(at: time) }
        keyedWrites[request.key.text] = (request.fingerprint, outcome.stored, time)
    }

    /// Removes the outcomes that contain this profile. Returns whether any outcome was removed.
    mutating func eraseOutcomes(of id: Int64) -> Bool {
        let before = keyedWrites.count
        let beginning = KeyedOutcome.storedBeginning(ofProfile: id)
        keyedWrites = keyedWrites.filter { !$0.value.outcome.hasPrefix(beginning) }
        return keyedWrites.count < before
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

    /// Replaces the profile with this id. If `profile` is nil, removes it. Also updates the owners of unique values.
    private mutating func put(_ profile: MemoryProfile?, at id: Int64) {
        // The loop iterates over a copy of the keys. A loop over the dictionary itself would hold a second reference to
        // it, so each change would copy the whole dictionary.
        for column in Array(owners.keys) {
            if let text = profiles[id]?.comparedText(column) { owners[column]?[text] = nil }
            if let text = profile?.comparedText(column) { owners[column]?[text] = id }
        }
        profiles[id] = profile
        newestID = max(newestID, id)
    }
}
