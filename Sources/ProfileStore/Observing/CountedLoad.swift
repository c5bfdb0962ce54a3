internal import ProfileCore
internal import Synchronization

/// A load that counts its rows.
final class CountedLoad<Load: BulkLoad>: BulkLoad {
    private let load: Load
    private let stored = Atomic(0)

    init(_ load: Load) { self.load = load }

    /// Returns the number of new rows, or of all valid rows if the load had batches. Zero if nothing was stored.
    func rows(of outcome: BulkLoadOutcome) -> Int {
        switch outcome {
        case .declined, .undone: 0
        case .loaded, .loadedOnOneMachine: stored.load(ordering: .relaxed)
        }
    }

    var takesUsedStore: Bool { load.takesUsedStore }

    var knowsNewRows: Bool { load.knowsNewRows }

    func mayBegin(_ areStored: ([String]) throws -> [Bool]) throws -> Bool { try load.mayBegin(areStored) }

    func nextNewRows() -> NewRows? {
        let rows = load.nextNewRows()
        stored.add(rows?.new.count ?? 0, ordering: .relaxed)
        return rows
    }

    func nextBatch() -> Load.Batch? { load.nextBatch() }

    func take(_ batch: Load.Batch) {
        stored.add(batch.rows.count, ordering: .relaxed)
        load.take(batch)
    }

    func mayStay() -> Bool { load.mayStay() }
}
