internal import Platform
internal import ProfileCore
internal import Threads

/// Reads the stored profiles, sorted by id, and validates them again. The next batch is read while earlier batches are
/// judged.
///
/// A read starts as soon as the previous read ends. It does not wait until `next()` asks for the batch.
final class RejudgedBatches {
    private let read: Read
    private let validator: ProfileValidator
    private let conversion: ValueConversion?
    private let today: CalendarDay
    private let judges: ThreadPool
    private let mostUnderWay: Int
    private var lastRead: Reading
    private var underWay: [Task<Result<RejudgedBatch?, ProfileStoreError>, Never>] = []

    /// Reads the rows of a scan.
    typealias Read = @Sendable (StoreScan) async throws(ProfileStoreError) -> StoredRows

    private typealias Reading = Task<Result<Stretch, ProfileStoreError>, Never>

    init(
        of scan: StoreScan, readBy read: @escaping Read, judgedBy validator: ProfileValidator,
        converting conversion: ValueConversion?, on today: CalendarDay
    ) {
        self.read = read
        self.validator = validator
        self.conversion = conversion
        self.today = today
        let threads = max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN)))
        // One core is reserved for the task that reads. If that task shared a core with a judging thread, it would be
        // slower, and all judging threads would wait for it.
        judges = ThreadPool(threads: max(1, threads - 1))
        mostUnderWay = threads + 2
        lastRead = Task { .success(Stretch(rows: nil, next: scan)) }
    }

    deinit {
        lastRead.cancel()
        for batch in underWay { batch.cancel() }
    }

    /// Returns the next batch; nil at the end.
    func next() async throws(ProfileStoreError) -> RejudgedBatch? {
        while underWay.count < mostUnderWay { beginBatch() }
        return try await underWay.removeFirst().value.get()
    }

    private func beginBatch() {
        let reading = Reading { [read, lastRead] in
            do throws(ProfileStoreError) {
                guard let scan = try await lastRead.value.get().next else { return .success(.end) }
                return .success(try await Stretch(scan, readBy: read))
            } catch {
                return .failure(error)
            }
        }
        lastRead = reading
        underWay.append(
            Task { [judges, validator, today, conversion] in
                do throws(ProfileStoreError) {
                    guard let rows = try await reading.value.get().rows else { return .success(nil) }
                    let batch = try await judges.run { () throws(ProfileStoreError) in
                        RejudgedBatch(rows, validator: validator, today: today, conversion: conversion)
                    } refused: {
                        ProfileStoreError($0)
                    }
                    return .success(batch)
                } catch {
                    return .failure(error)
                }
            })
    }
}

/// The rows of one read.
private struct Stretch: Sendable {
    /// The rows; nil before the first read and after the last read.
    let rows: StoredRows?
    /// The next read; nil at the end.
    let next: StoreScan?

    static let end = Stretch(rows: nil, next: nil)

    init(rows: StoredRows?, next: StoreScan?) {
        self.rows = rows
        self.next = next
    }

    init(_ scan: StoreScan, readBy read: RejudgedBatches.Read) async throws(ProfileStoreError) {
        let rows = try await read(scan)
        guard let last = rows.rows.last else {
            self = .end
            return
        }
        var next = scan
        next.after = last.id
        self.init(rows: rows, next: next)
    }
}
