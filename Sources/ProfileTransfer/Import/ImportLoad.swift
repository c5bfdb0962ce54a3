internal import ProfileCore
internal import ProfileStore
internal import Threads

/// An import into a store in a single transaction.
final class ImportLoad: BulkLoad {
    let takesUsedStore: Bool
    /// Whether the new rows of a batch are known before the engine stores the batch. False with the policy `update`,
    /// because a row that lacks required values can become valid with the values of a stored profile.
    let knowsNewRows: Bool

    private typealias Sifting = OrderedPipeline<SiftedBatch, SiftedBatch, ImportError>

    private struct State {
        var sifting: Sifting?
        /// The batch that the engine received last. When the engine requests the next batch, it has already stored this
        /// batch.
        var latest: ReadBatch?
        var failure: ImportError?
    }

    private let target: StoreImport
    private let spared: SparedPasswords
    private let state = Locked(State())

    init(_ target: StoreImport, evenIfUsed: Bool, sparing spared: SparedPasswords) {
        self.target = target
        self.spared = spared
        takesUsedStore = evenIfUsed
        knowsNewRows = target.run.options.duplicates != .update
    }

    /// The error that ended the import early.
    var failure: ImportError? { state.withLock { $0.failure } }

    /// Stops reading and waits until all readers have ended.
    func end() async {
        guard let sifting = state.withLock({ $0.sifting.take() }) else { return }
        sifting.stop()
        target.run.stop()
        await sifting.ended()
    }

    // MARK: Calls from the engine

    func mayBegin(_ areStored: ([String]) throws -> [Bool]) throws -> Bool {
        // The first reading did not hash some passwords, because the store did not need them. This code checks whether
        // the store needs them now.
        let isUpdate = target.run.options.duplicates == .update
        return try spared.usernames.isEmpty || !areStored(spared.usernames).contains(isUpdate)
    }

    func nextNewRows() -> NewRows? {
        reportProgress()
        guard let batch = attempt({ () throws(ImportError) in try sifting().next() }) else { return nil }
        state.withLock { $0.latest = batch.judged.batch }
        return NewRows(rows: batch.judged.rows, new: batch.newRows)
    }

    func nextBatch() -> RowDecisions? {
        reportProgress()
        guard failure == nil, let judged = attempt({ () throws(ImportError) in try target.run.nextBlocking() })
        else { return nil }
        state.withLock { $0.latest = judged.batch }
        return target.decisions(of: judged)
    }

    func take(_ batch: RowDecisions) {
        // The first reading hashed every password that the store needs. Therefore an unhashed password shows that the
        // input has changed.
        if batch.unhashedPassword != nil { return fail(.inputChanged) }
        do throws(ImportError) { try target.run.take(batch) } catch { fail(error) }
        target.run.blockForRejects()
    }

    func mayStay() -> Bool { failure == nil && !target.run.nothingMayStay() }

    // MARK: Sifting

    /// Finds the new rows on another thread while the engine stores earlier rows. This is possible if the store is
    /// empty, because then only the input determines which rows are new.
    private func sifting() throws(ImportError) -> Sifting {
        if let sifting = state.withLock({ $0.sifting }) { return sifting }
        let run = target.run
        let sifting: Sifting
        do throws(ThreadError) {
            sifting = try Sifting(workers: 1, depth: 3) { () throws(ImportError) in
                guard let judged = try run.nextBlocking() else {
                    // Frees the memory of the keys. The engine now builds the indexes, which takes long and needs no
                    // keys.
                    run.keys.keys.withLock { $0.removeAll() }
                    return nil
                }
                let newRows = try run.sift(judged)
                run.blockForRejects()
                if !judged.rows.passwords.isEmpty, newRows.contains(where: { judged.rows.passwords[$0] != nil }) {
                    throw .inputChanged
                }
                return SiftedBatch(judged: judged, newRows: newRows)
            } process: {
                $0
            }
        } catch {
            throw .store(.noThread(code: error.code))
        }
        state.withLock { $0.sifting = sifting }
        return sifting
    }

    private func reportProgress() {
        if let latest = state.withLock({ $0.latest.take() }) { target.run.progress(after: latest) }
    }

    private func attempt<Value>(_ body: () throws(ImportError) -> Value?) -> Value? {
        do throws(ImportError) { return try body() } catch {
            fail(error)
            return nil
        }
    }

    private func fail(_ error: ImportError) { state.withLock { $0.failure = error } }
}

/// A validated batch, and the positions of the rows that are new in an empty store.
private struct SiftedBatch: Sendable {
    let judged: JudgedBatch
    let newRows: [Int]
}
