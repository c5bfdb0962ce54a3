package import ProfileCore

/// A batch of rows to store. The engine reads the stored values, and the batch decides what to do with each row.
///
/// An engine runs a batch within a transaction. The batch returns a step, and the engine performs the step. The engine
/// passes the outcome to the batch, and the batch returns the next step. The engine works on a copy of the batch. If
/// the engine repeats a failed transaction, it starts again with a new copy. After the commit, the engine returns the
/// copy that it used in the committed transaction. So a batch must depend only on the outcomes that it receives, and
/// must have no side effects.
package protocol ImportBatch: Sendable {
    /// The rows that ``ImportStep/insert(row:)`` refers to.
    var rows: ValidProfiles { get }

    /// Whether a ``StoredMatch`` must include the stored profile with the row's username.
    var wantsStoredProfiles: Bool { get }

    /// The usernames for which the batch will possibly return the step ``ImportStep/find(username:)``. If the store is
    /// on a server, the engine reads all profiles with these usernames together.
    var usernamesToFind: [String] { get }

    /// Whether the batch is stored on only one machine; see ``ProfileStoreError/Code/storedOnOneMachine``. The engine
    /// sets this property instead of throwing the error. The caller counts the stored rows, and then throws the error.
    var isOnOneMachine: Bool { get set }

    /// Takes the outcome of the previous step, and returns the next step.
    mutating func next(after outcome: ImportStep.Outcome) -> ImportStep

    /// Asks the batch to end after the current row. The remaining rows are then stored in another transaction. A batch
    /// that cannot be divided ignores the call. If an engine allows only one writer, it calls this method when other
    /// writers are waiting.
    mutating func giveWay()
}

extension ImportBatch {
    /// By default, a batch does not use the step ``ImportStep/find(username:)``.
    package var usernamesToFind: [String] { [] }

    /// By default, a batch cannot be divided, so this method does nothing.
    package mutating func giveWay() {}
}

/// All rows of one input. The engine stores them in one transaction.
///
/// The engine calls the methods one after another, on a thread that a method is allowed to block.
package protocol BulkLoad: Sendable {
    associatedtype Batch: ImportBatch

    /// Whether the load can also begin if the store already has profiles.
    var takesUsedStore: Bool { get }

    /// Whether the load can provide its rows with ``nextNewRows()`` if the store has no profiles. If true, the engine
    /// uses this method for an empty store, because it is faster.
    var knowsNewRows: Bool { get }

    /// Returns whether the load may begin. During the call, no other transaction can write profiles. `areStored`
    /// returns, for each username, whether a profile has this username.
    func mayBegin(_ areStored: ([String]) throws -> [Bool]) throws -> Bool

    /// Returns the next rows. Returns nil at the end. No two new profiles of the load have the same value in a unique
    /// field.
    func nextNewRows() -> NewRows?

    /// Returns the next batch; nil at the end.
    func nextBatch() -> Batch?

    /// Receives a batch after its last step.
    func take(_ batch: Batch)

    /// Returns whether the stored rows are kept. The engine calls this method at the end of the load.
    func mayStay() -> Bool
}

/// Rows of a load, and the positions of the rows to store as new profiles. The other rows are not stored.
package struct NewRows: Sendable {
    package let rows: ValidProfiles
    /// The positions of the new profiles in `rows`.
    package let new: [Int]

    package init(rows: ValidProfiles, new: [Int]) {
        self.rows = rows
        self.new = new
    }
}

/// The outcome of a bulk load.
package enum BulkLoadOutcome: Sendable {
    /// The engine read no rows. The store already has profiles, or the load refused to begin.
    case declined
    /// The engine rolled all rows back, because ``BulkLoad/mayStay()`` returned false.
    case undone
    case loaded
    /// The rows are stored, but on only one machine; see ``ProfileStoreError/Code/storedOnOneMachine``.
    case loadedOnOneMachine
}
