internal import ProfileCore
internal import ProfileStore
internal import SQLiteAccess
internal import SecretHashing
internal import Threads

/// Keeps profiles in one SQLite file. A lock file beside this file ensures that only one process writes at a time; see
/// <doc:Concurrency>.
final class SQLiteEngine: StoreEngine {
    let session: SQLiteSession
    let options: ProfileRepository.Options
    /// Whether opening this engine created the store.
    let isMadeHere: Bool
    /// The latest rules that this engine has read.
    private let known: Locked<RulesInForce>
    let beeper: Beeper
    let listener = Locked<CommitListener?>(nil)

    /// Opens the engine on an existing file. The version of the store must be ``Migrator/latest``.
    init(
        _ file: StoreFile, _ look: consuming StoreLook, _ writer: DatabaseWriter, isMadeHere: Bool,
        _ options: ProfileRepository.Options
    ) throws(ProfileStoreError) {
        self.isMadeHere = isMadeHere
        session = SQLiteSession(file, look, writer, options)
        self.options = options
        beeper = Beeper(file.path, directory: options.runtimeDirectory)
        known = Locked(
            try session.read { connection in
                try Migrator.verify(connection)
                try options.requireFinished(
                    copyOf: KeyedWriteTable.unfinishedCopy(connection), at: file.path.description)
                return RulesInForce(try SchemaTable.inForce(connection))
            })
    }

    var place: String { session.file.path.description }

    func ping() async throws(ProfileStoreError) { try session.ping() }

    func close() async {
        beeper.unregister(Beeper.changes)
        await session.close()
    }

    // MARK: Rules

    /// Returns the rules in force in the connection's transaction. Reads them again if they have changed.
    func rulesInForce(_ connection: borrowing Connection) throws -> RulesInForce {
        let version = try SchemaTable.versionInForce(connection)
        let known = known.withLock { $0 }
        guard known.adopted.version != version else { return known }
        let latest = RulesInForce(try SchemaTable.inForce(connection))
        // Another thread may have read later rules in the meantime.
        self.known.withLock { if $0.adopted.version < latest.adopted.version { $0 = latest } }
        return latest
    }

    /// Returns the rules in force in the connection's transaction. Throws `schemaChanged` if these are not the rules of
    /// `schema`. The values to write were validated by `schema`.
    func rulesInForce(
        _ connection: borrowing Connection, being schema: ProfileSchema
    ) throws -> RulesInForce {
        let current = try rulesInForce(connection)
        try current.adopted.require(schema)
        return current
    }

    /// Returns the SQL for rules that were read earlier and may no longer be in force.
    func table(of adopted: AdoptedSchema) -> ProfileTable {
        let known = known.withLock { $0 }
        return known.adopted === adopted ? known.table : ProfileTable(adopted.schema)
    }
}
