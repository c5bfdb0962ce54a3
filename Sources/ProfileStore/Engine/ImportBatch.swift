package import ProfileCore

/// Rows to store, and the decision what to do with each row when the stored values are known.
///
/// An engine runs a batch within a transaction. The engine asks the batch for the first step, performs the step, and
/// passes the outcome to the batch to get the next step. The engine runs a copy of the batch, and may start again with
/// a new copy, for example after a failed transaction. The engine returns the copy whose transaction was committed. So
/// a batch must depend only on the outcomes that it receives, and must have no side effects.
package protocol ImportBatch: Sendable {
    /// The rows that ``ImportStep/insert(row:)`` refers to.
    var rows: ValidProfiles { get }

    /// Whether a ``StoredMatch`` includes the profile with the row's username.
    var wantsStoredProfiles: Bool { get }

    /// The usernames that the batch may ask for with ``ImportStep/find(username:)``. An engine on a server reads the
    /// profiles with these usernames together.
    var usernamesToFind: [String] { get }

    /// Whether the batch is stored on one machine only, see ``ProfileStoreError/Code/storedOnOneMachine``. The engine
    /// sets it instead of throwing that error, because the caller has to count the stored rows. The caller then throws
    /// the error.
    var isOnOneMachine: Bool { get set }

    /// Takes the outcome of the previous step, and returns the next step.
    mutating func next(after outcome: ImportStep.Outcome) -> ImportStep

    /// Ends after the current row if the batch may leave its other rows for another transaction. An engine with a
    /// single writer calls this method when other writers are waiting.
    mutating func giveWay()
}

extension ImportBatch {
    /// By default, a batch takes no ``ImportStep/find(username:)`` step.
    package var usernamesToFind: [String] { [] }

    /// By default, a batch is not divided.
    package mutating func giveWay() {}
}

/// All rows of one input. The engine stores them in one transaction.
///
/// The engine calls the methods one after another, on a thread that may block.
package protocol BulkLoad: Sendable {
    associatedtype Batch: ImportBatch

    /// Whether the load also accepts a store that has profiles.
    var takesUsedStore: Bool { get }

    /// Whether the new rows alone are enough if the store has no profiles. If so, the engine reads the new rows with
    /// ``nextNewRows()``, which is faster.
    var knowsNewRows: Bool { get }

    /// Returns whether the load may begin. The engine calls this method while no other session writes. `areStored`
    /// returns which usernames are stored.
    func mayBegin(_ areStored: ([String]) throws -> [Bool]) throws -> Bool

    /// Returns the next rows, in which no two rows share a unique value; nil at the end.
    func nextNewRows() -> NewRows?

    /// Returns the next batch; nil at the end.
    func nextBatch() -> Batch?

    /// Receives a batch that has run to its end.
    func take(_ batch: Batch)

    /// Returns whether the stored rows are kept. The engine calls this method at the end of the load.
    func mayStay() -> Bool
}

/// Rows of a load, and which of them are new profiles.
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
    /// The engine read no rows: the store has profiles, or the load may not begin.
    case declined
    /// The engine rolled all rows back, because ``BulkLoad/mayStay()`` returned false.
    case undone
    case loaded
    /// The rows are stored, but on one machine only; see ``ProfileStoreError/Code/storedOnOneMachine``.
    case loadedOnOneMachine
}
