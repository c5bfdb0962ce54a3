internal import ProfileCore
internal import ProfileStore
internal import SQLiteAccess
internal import SecretHashing
internal import Synchronization

/// Keeps profiles in one SQLite file, beside which a lock file lets one process write at a time; see <doc:Concurrency>.
final class SQLiteEngine: StoreEngine {
    let session: SQLiteSession
    let options: ProfileRepository.Options
    /// Whether the store was made when it was opened here.
    let isMadeHere: Bool
    /// The rules in force, as far as is known here.
    private let known: Mutex<RulesInForce>
    let beeper: Beeper
    let listeners = Mutex<[CommitListener]>([])

    /// Goes by a file that is there and of this program's version.
    init(
        _ file: StoreFile, _ look: consuming StoreLook, _ writer: DatabaseWriter, isMadeHere: Bool,
        _ options: ProfileRepository.Options
    ) throws(ProfileStoreError) {
        self.isMadeHere = isMadeHere
        session = SQLiteSession(file, look, writer, options)
        self.options = options
        beeper = Beeper(file.path, directory: options.runtimeDirectory)
        known = Mutex(
            try session.read { connection in
                try Migrator.verify(connection)
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

    /// The rules in force in the connection's transaction, read again where they have changed.
    func rulesInForce(_ connection: borrowing Connection) throws -> RulesInForce {
        let version = try SchemaTable.versionInForce(connection)
        let known = known.withLock { $0 }
        guard known.adopted.version != version else { return known }
        let latest = RulesInForce(try SchemaTable.inForce(connection))
        // Another thread may have read later ones meanwhile.
        self.known.withLock { if $0.adopted.version < latest.adopted.version { $0 = latest } }
        return latest
    }

    /// The rules in force inside a write transaction, when they are still those that a value was judged by.
    func rulesInForce(
        _ connection: borrowing Connection, being schema: ProfileSchema
    ) throws -> RulesInForce {
        let current = try rulesInForce(connection)
        guard current.schema == schema else {
            throw ProfileStoreError.schemaChanged(version: current.adopted.version)
        }
        return current
    }

    /// The SQL of rules that were in force when they were read.
    func table(of adopted: AdoptedSchema) -> ProfileTable {
        let known = known.withLock { $0 }
        return known.adopted === adopted ? known.table : ProfileTable(adopted.schema)
    }
}
