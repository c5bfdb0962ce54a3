internal import PostgresAccess
internal import ProfileStore

/// Whether what a server has committed stays, whichever machine is lost: what `open` asks before it goes by a server.
enum Durability {
    private static let selectSettings = """
        SELECT current_setting('synchronous_commit'), current_setting('synchronous_standby_names'),
            current_setting('server_encoding'), (SELECT count(*) FROM pg_stat_replication), current_setting('fsync')
        """

    /// - Parameters:
    ///   - connection: To the server that takes writes.
    ///   - isLocalEnough: Whether it was asked for by name that a commit waits for no other machine.
    /// - Throws: `notDurable`, `unsupported`.
    static func require(_ connection: Connection, isLocalEnough: Bool) async throws {
        let settings = try await connection.run(selectSettings)
        guard settings.text(0, 2) == "UTF8" else {
            throw ProfileStoreError.unsupported("encoding but UTF8; this database has \(settings.text(0, 2) ?? "")")
        }
        guard !isLocalEnough else { return }
        let commit = settings.text(0, 0) ?? ""
        if commit == "off" { throw ProfileStoreError.notDurable("synchronous_commit is off") }
        let standbyCount = settings.count(0, 3)
        if standbyCount > 0, settings.text(0, 1)?.isEmpty ?? true {
            throw ProfileStoreError.notDurable(
                "the server has \(standbyCount) standbys and waits for none: synchronous_standby_names is empty")
        }
        if standbyCount > 0, commit == "local" { throw ProfileStoreError.notDurable("synchronous_commit is local") }
    }
}
