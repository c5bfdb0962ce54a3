internal import Platform
internal import ProfileCore
internal import Threads

/// Stored profiles in the order of their ids, judged again: some batches are judged while the next one is read.
final class RejudgedBatches {
    private let engine: any StoreEngine
    private let validator: ProfileValidator
    private let today: CalendarDay
    private let judges: ThreadPool
    private let mostUnderWay: Int
    /// What to read next; nil at the end.
    private var scan: StoreScan?
    private var underWay: [Task<Result<RejudgedBatch, ProfileStoreError>, Never>] = []

    init(
        of scan: StoreScan, in engine: any StoreEngine, judgedBy validator: ProfileValidator, on today: CalendarDay
    ) {
        self.scan = scan
        self.engine = engine
        self.validator = validator
        self.today = today
        let threads = max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN)))
        judges = ThreadPool(threads: threads)
        mostUnderWay = threads + 2
    }

    /// The next batch; nil at the end.
    func next() async throws(ProfileStoreError) -> RejudgedBatch? {
        while underWay.count < mostUnderWay, let rows = try await read() {
            underWay.append(
                Task { [judges, validator, today] in
                    do throws(ProfileStoreError) {
                        return .success(
                            try await judges.run { () throws(ProfileStoreError) in
                                RejudgedBatch(rows, validator: validator, today: today)
                            } refused: {
                                ProfileStoreError($0)
                            })
                    } catch {
                        return .failure(error)
                    }
                })
        }
        return underWay.isEmpty ? nil : try await underWay.removeFirst().value.get()
    }

    private func read() async throws(ProfileStoreError) -> StoredRows? {
        guard let current = scan else { return nil }
        let rows = try await engine.scan(current)
        guard let last = rows.rows.last else {
            scan = nil
            return nil
        }
        scan?.after = last.id
        return rows
    }
}
