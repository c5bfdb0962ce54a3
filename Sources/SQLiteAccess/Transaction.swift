/// Transactions are synchronous closures, so a task cannot suspend while a transaction is open.
extension Connection {
    /// Runs `body` in a read transaction. All reads of the transaction see the same consistent snapshot of the
    /// database.
    ///
    /// - Throws: The error of `body`, or SQLite's error.
    package func readTransaction<Result: ~Copyable>(_ body: () throws -> Result) throws -> Result {
        try transaction(begin: "BEGIN DEFERRED", commit: "COMMIT", rollback: ["ROLLBACK"], body)
    }

    /// Runs `body` in a write transaction and commits it. If `body` throws or the commit fails, nothing is written.
    ///
    /// The caller must hold the ``WriteLock``. If a commit fails with `ioErrorFsync`, no open connection of any process
    /// sees the commit. But the frames of the commit stay in the log until the next commit or checkpoint. If the
    /// machine, or all processes with an open connection, stop before this commit or checkpoint, the recovery may make
    /// the whole failed commit visible.
    ///
    /// - Throws: The error of `body`, or SQLite's error. Throws an error with a ``FileProblem`` if other processes
    ///   would not see the commit. In most cases this error is thrown before the commit, so nothing is written. If it
    ///   is thrown after the commit, the changes are lost together with the replaced file.
    package func writeTransaction<Result: ~Copyable>(_ body: () throws -> Result) throws -> Result {
        let result = try commit(body)
        try requireInPlace()
        return result
    }

    /// Runs `body` in a write transaction and commits it. Unlike ``writeTransaction(_:)``, it does not check after the
    /// commit that the file is still in place.
    ///
    /// - Throws: The error of `body`, or SQLite's error. In both cases nothing is written.
    func commit<Result: ~Copyable>(_ body: () throws -> Result) throws -> Result {
        try transaction(begin: "BEGIN IMMEDIATE", commit: "COMMIT", rollback: ["ROLLBACK"]) {
            let result = try body()
            try requireCommittable()
            return result
        }
    }

    /// Runs `body` under a savepoint of the open transaction. If `body` throws, only its changes are undone. If that is
    /// not possible, the whole transaction is undone and ``isAutocommit`` becomes true.
    ///
    /// - Throws: The error of `body`, or SQLite's error.
    package func savepoint<Result: ~Copyable>(_ body: () throws -> Result) throws -> Result {
        try transaction(
            begin: "SAVEPOINT inner", commit: "RELEASE inner", rollback: ["ROLLBACK TO inner", "RELEASE inner"], body)
    }

    /// Rolls back the transaction if it is still open. After some errors, such as a full disk, SQLite has already
    /// rolled it back.
    func rollBackIfOpen() { rollBack(["ROLLBACK"]) }

    private func transaction<Result: ~Copyable>(
        begin: String, commit: String, rollback: [String], _ body: () throws -> Result
    ) throws -> Result {
        try measuringWait { () throws(SQLiteError) in try run(begin) }
        do {
            let result = try body()
            try run(commit)
            return result
        } catch {
            rollBack(rollback)
            throw error
        }
    }

    private func rollBack(_ statements: [String]) {
        // The caller receives the error that caused the rollback. This first error is more useful than an error of the
        // rollback itself.
        for statement in statements where !isAutocommit {
            // If the savepoint cannot be undone alone, the whole transaction must be undone.
            do { try run(statement) } catch { try? run("ROLLBACK") }
        }
    }
}
