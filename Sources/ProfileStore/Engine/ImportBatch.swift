package import ProfileCore

/// Rows that are to be stored, and what is decided about each once it is known what the store has of it.
///
/// An engine runs a batch within a transaction: it asks for the first step, takes it, tells what came of it, and goes on so
/// to the end. It runs a copy of its own, and may begin again with another one, as when a transaction failed; the copy
/// whose transaction was committed is the outcome. So a batch depends on nothing but what it is told, and changes
/// nothing but itself.
package protocol ImportBatch: Sendable {
    /// The rows that ``ImportStep/insert(row:)`` means.
    var rows: ValidProfiles { get }

    /// Whether a ``StoredMatch`` is to have the profile of the row's username.
    var wantsStoredProfiles: Bool { get }

    /// Whether the batch is stored on one machine only, see ``ProfileStoreError/Code/storedOnOneMachine``. The engine sets it
    /// instead of throwing that error, because the caller has to count what was stored. The caller then throws it.
    var isOnOneMachine: Bool { get set }

    /// Takes in what came of the step before, and gives the next one.
    mutating func next(after outcome: ImportStep.Outcome) -> ImportStep

    /// Ends with the row that is under way, if the batch may leave the rest for another transaction. An engine that lets one
    /// writer write at a time calls it when others have begun to wait.
    mutating func giveWay()
}

extension ImportBatch {
    /// A batch is whole unless it says otherwise.
    package mutating func giveWay() {}
}

/// All that goes into a store at once, in one transaction.
///
/// Its methods are called one after another, on a thread that may block.
package protocol BulkLoad: Sendable {
    associatedtype Batch: ImportBatch

    /// Whether it goes into a store that has profiles too.
    var takesUsedStore: Bool { get }

    /// Whether a store without profiles gets the new rows alone, by ``nextNewRows()``, which is faster.
    var knowsNewRows: Bool { get }

    /// Returns whether the load may begin, while no other session writes. `areStored` says which of some usernames are stored.
    func mayBegin(_ areStored: ([String]) throws -> [Bool]) throws -> Bool

    /// The next rows of which none has a unique value of another; nil at the end.
    func nextNewRows() -> NewRows?

    /// The next batch; nil at the end.
    func nextBatch() -> Batch?

    /// Takes a batch back that ran to its end.
    func take(_ batch: Batch)

    /// Whether what was stored is to stay; asked at the end.
    func mayStay() -> Bool
}

/// Some rows, and which of them are new.
package struct NewRows: Sendable {
    package let rows: ValidProfiles
    /// The positions of those that are to be stored.
    package let new: [Int]

    package init(rows: ValidProfiles, new: [Int]) {
        self.rows = rows
        self.new = new
    }
}

/// What became of a bulk load.
package enum BulkLoadOutcome: Sendable {
    /// Nothing was asked of it: the store has profiles, or it may not begin.
    case declined
    /// All that it gave was taken back, since it may not stay.
    case undone
    case loaded
    /// It is stored, but on one machine only, see ``ProfileStoreError/Code/storedOnOneMachine``.
    case loadedOnOneMachine
}
