internal import PostgresAccess
internal import ProfileStore
internal import Threads

/// The numbers that this process may give to new profiles or to changes. The numbers are reserved in blocks. Otherwise
/// each write would lock the counter, and all other writes would wait.
///
/// The first block has one number. Each later block has twice as many numbers as the block before, up to 256. So a
/// command that registers one profile leaves no gap in the ids, and a service rarely has to reserve a block.
final class ReservedNumbers: Sendable {
    private struct State {
        var free: Range<Int64> = 0..<0
        var blockSize: Int64 = 1
        /// The task that reserves a block for all waiting callers; nil if no block is being reserved.
        var reserving: Task<Result<Void, ProfileStoreError>, Never>?
    }

    /// The name of the counter in the table `counters`.
    private let counter: String
    private let state = Locked(State())
    private static let largestBlock: Int64 = 256

    private init(_ counter: String) { self.counter = counter }

    /// Creates the source of the ids of profiles.
    static func ofProfiles() -> ReservedNumbers { ReservedNumbers("next_profile_id") }

    /// Creates the source of the numbers of changes in the history.
    static func ofChanges() -> ReservedNumbers { ReservedNumbers("next_history_change") }

    /// Takes one number.
    func take(_ session: PostgresSession, at time: Timestamp) async throws(ProfileStoreError) -> Int64 {
        while true {
            var isOurs = false
            let (id, reserving) = state.withLock { state -> (Int64?, Task<Result<Void, ProfileStoreError>, Never>?) in
                if let id = state.free.first {
                    state.free = id + 1..<state.free.upperBound
                    return (id, nil)
                }
                if let reserving = state.reserving { return (nil, reserving) }
                isOurs = true
                let size = state.blockSize
                state.blockSize = min(size * 2, Self.largestBlock)
                let reserving = Task { await self.fill(size, session, at: time) }
                state.reserving = reserving
                return (nil, reserving)
            }
            if let id { return id }
            guard let reserving else { continue }
            do throws(ProfileStoreError) { try await reserving.value.get() } catch {
                // Another caller, with an earlier deadline, may have begun the reservation. In this case, this caller
                // tries again.
                if isOurs || CallDeadline.isOver || !error.isOfTime { throw error }
            }
        }
    }

    /// Takes consecutive numbers, and returns the first one.
    func take(
        _ count: Int, _ session: PostgresSession, at time: Timestamp
    ) async throws(ProfileStoreError) -> Int64 {
        let free = state.withLock { state -> Int64? in
            guard state.free.count >= count else { return nil }
            defer { state.free = state.free.lowerBound + Int64(count)..<state.free.upperBound }
            return state.free.lowerBound
        }
        if let free { return free }
        return try await reserve(Int64(count), session, at: time).lowerBound
    }

    private func fill(
        _ size: Int64, _ session: PostgresSession, at time: Timestamp
    ) async -> Result<Void, ProfileStoreError> {
        let outcome: Result<Void, ProfileStoreError>
        do throws(ProfileStoreError) {
            let block = try await reserve(size, session, at: time)
            state.withLock { $0.free = block }
            outcome = .success(())
        } catch {
            outcome = .failure(error)
        }
        state.withLock { $0.reserving = nil }
        return outcome
    }

    /// Reserves a block of numbers. If the answer of the server is lost, the numbers of the block are never used. This
    /// does no harm.
    private func reserve(
        _ size: Int64, _ session: PostgresSession, at time: Timestamp
    ) async throws(ProfileStoreError) -> Range<Int64> {
        let end = try await session.prepare(at: time) { transaction, _ in
            let rows = try await transaction.run(
                "UPDATE counters SET value = value + $1 WHERE name = $2 RETURNING value",
                [.number(size), .text(counter)])
            let end = try ProfileStoreError.counted(rows.number(0, 0), atLeast: size + 1, counter)
            return PostgresSession.Outcome(value: end)
        }
        return end - size..<end
    }
}

extension ProfileStoreError {
    /// Whether the same call may succeed with more time.
    fileprivate var isOfTime: Bool { [.busy, .unavailable, .outcomeUnknown].contains(code) }
}
