internal import PostgresAccess
internal import ProfileStore
internal import Threads

// Repeated attempts after temporary errors.
extension PostgresSession {
    /// Repeats an attempt until it succeeds, its error is permanent, or the deadline is near. If it is then unknown
    /// whether an attempt was committed, this method throws `outcomeUnknown`.
    func repeating<Value>(
        _ attempt: (_ deadline: ContinuousClock.Instant) async throws -> Value
    ) async throws(ProfileStoreError) -> Value {
        let start = ContinuousClock.now
        let deadline = deadline
        var unknown: ServerFault?
        var pause = Duration.milliseconds(1)
        while true {
            do {
                return try await CallDeadline.at(deadline) { try await attempt(deadline) }
            } catch {
                if case PostgresError.outcomeUnknown(let reason) = error { unknown = unknown ?? .reported(reason) }
                let isOnOneMachine = (error as? QuorumIsGone)?.isStored ?? false
                // If the only machine that has the write is lost later, it is unknown whether another machine got it.
                if isOnOneMachine { unknown = unknown ?? .onOneMachine }
                let refusal = (error as? PostgresError)?.state
                // If the next attempt began too late, the deadline would interrupt it. The error of the next attempt
                // would then replace the answer of this attempt.
                let hasAnswer = isOnOneMachine || refusal != nil
                let lastBegin = hasAnswer ? deadline - min(options.waitLimit, deadline - start) / 8 : deadline
                let isOver = Task.isCancelled || ContinuousClock.now + pause >= lastBegin
                if error is LoadGoesOn, !isOver {
                    let hasEnded: Bool
                    do throws(ProfileStoreError) {
                        // Creating the load's indexes may take longer than the time limit of a call.
                        hasEnded = try await CallDeadline.at(nil) { () throws(ProfileStoreError) in
                            try await endDeadLoad()
                        }
                    } catch {
                        // This error comes from the attempt to end the load. The error says nothing about an earlier
                        // attempt of the write.
                        if let unknown { throw .outcomeUnknown(unknown) }
                        throw error
                    }
                    if !hasEnded { try? await Task.sleep(for: min(pause * 64, .milliseconds(200))) }
                    pause = min(pause * 2, .milliseconds(200))
                    continue
                }
                // Another writer stored the value after this writer had looked for it. The next attempt finds the
                // value.
                let isRace = refusal == .uniqueViolation
                let mayBeRepeated = (error as? PostgresError)?.mayBeRepeated ?? false
                if mayBeRepeated || isRace || Durability.isMissing(error), !isOver {
                    try? await Task.sleep(for: pause)
                    pause = min(pause * 2, .milliseconds(200))
                    continue
                }
                // If the error is a `ProfileStoreError`, the outcome is known: a transaction that ran after all
                // attempts has determined the outcome.
                if let unknown, !isOnOneMachine, !(error is ProfileStoreError) { throw .outcomeUnknown(unknown) }
                if (error as? PostgresError)?.isOfOtherTables ?? false { try await checkVersion(until: deadline) }
                throw ProfileStoreError(translating: error, since: start)
            }
        }
    }

    /// Checks whether a later version of this program has migrated the store.
    ///
    /// - Throws: `newerStore` if so.
    private func checkVersion(until deadline: ContinuousClock.Instant) async throws(ProfileStoreError) {
        let applied = try? await pool.withConnection(until: deadline) { try await Migrator.applied($0) }
        if let applied { try Migrator.verify(applied, pool.list.description) }
    }
}
