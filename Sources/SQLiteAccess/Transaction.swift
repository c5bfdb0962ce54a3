/// Transactions are closures and synchronous, so nothing can be awaited while one is open.
extension Connection {
    /// Reads from one snapshot of the database, whatever is committed meanwhile.
    ///
    /// - Throws: What `body` throws, or SQLite's error.
    package func readTransaction<Result: ~Copyable>(_ body: () throws -> Result) throws -> Result {
        try transaction(begin: "BEGIN DEFERRED", commit: "COMMIT", rollback: ["ROLLBACK"], body)
    }

    /// Writes all that `body` writes, or, if it throws or the commit fails, nothing.
    ///
    /// The caller holds the ``WriteLock``. A commit that fails with `ioErrorFsync` is undone for everyone who has the
    /// database open, but lies in the log until the next commit or checkpoint: if the machine or every process ends
    /// before that, it may turn out to have been kept, whole.
    ///
    /// - Throws: What `body` throws, or SQLite's error. One with a ``FileProblem`` where others would not find what is
    ///   committed: mostly before the commit, so that nothing is written, or after it, when that was in vain.
    package func writeTransaction<Result: ~Copyable>(_ body: () throws -> Result) throws -> Result {
        let result = try commit(body)
        try requireInPlace()
        return result
    }

    /// Commits all that `body` writes, without asking afterwards whether others find it.
    ///
    /// - Throws: What `body` throws, or SQLite's error. Then nothing is written.
    func commit<Result: ~Copyable>(_ body: () throws -> Result) throws -> Result {
        try transaction(begin: "BEGIN IMMEDIATE", commit: "COMMIT", rollback: ["ROLLBACK"]) {
            let result = try body()
            try requireCommittable()
            return result
        }
    }

    /// Within a transaction: keeps what `body` writes, or, if it throws, undoes that alone. Where that is not possible,
    /// the whole transaction is undone; ``isAutocommit`` tells.
    ///
    /// - Throws: What `body` throws, or SQLite's error.
    package func savepoint<Result: ~Copyable>(_ body: () throws -> Result) throws -> Result {
        try transaction(
            begin: "SAVEPOINT inner", commit: "RELEASE inner", rollback: ["ROLLBACK TO inner", "RELEASE inner"], body)
    }

    /// Undoes a transaction that is still open. SQLite has undone it already after some errors, such as a full disk.
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
        // The caller learns why there is a rollback, which says more than why the rollback fails.
        for statement in statements where !isAutocommit {
            // What cannot be undone alone must not be kept with the rest.
            do { try run(statement) } catch { try? run("ROLLBACK") }
        }
    }
}
