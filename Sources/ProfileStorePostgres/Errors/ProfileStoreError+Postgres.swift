internal import PostgresAccess
internal import ProfileStore

// Translates errors of the server into the store's errors.
extension ProfileStoreError {
    /// - Parameters:
    ///   - error: The thrown error.
    ///   - start: The time at which the call began.
    init(translating error: any Error, since start: ContinuousClock.Instant) {
        switch error {
        case let error as ProfileStoreError: self = error
        case let error as QuorumIsGone where error.isStored: self = .storedOnOneMachine
        case _ where Durability.isMissing(error): self = Durability.missing
        case let error as PostgresError: self.init(error, waited: .now - start)
        case is CancellationError: self = .cancelled
        case is LoadGoesOn: self = .busy(holder: nil, waited: .now - start)
        // The engine throws no errors of other types.
        default: self = .database(String(describing: error), code: 0)
        }
    }

    /// The error to throw instead of this error, if the call was a read or a write that only prepares another write.
    /// Such a call can be repeated, so the caller does not need to know whether the write was stored.
    var ofStep: Self {
        switch reason {
        case .outcomeUnknown(let problem): .unavailable([problem])
        case .storedOnOneMachine: Durability.missing
        default: self
        }
    }
    /// The error for the address of a pooler that shares sessions between its clients.
    static let sharedSession = ProfileStoreError.unreadableAddress(.sharedSession)

    private init(_ error: PostgresError, waited: Duration) {
        switch error {
        case .refused where error.isConflict: self = .busy(holder: nil, waited: waited)
        case .refused(let state, let message, _, _): self.init(state, message, waited: waited)
        case .lost(let message): self = .unavailable([.reported(message)])
        case .timedOut: self = .busy(holder: nil, waited: waited)
        case .noAnswer(let server): self = .unavailable([.noAnswer(server: server)])
        case .sharedSession: self = .sharedSession
        case .outcomeUnknown(let reason): self = .outcomeUnknown(.reported(reason))
        case .unreachable(let problems):
            self =
                problems.allSatisfy { $0.kind == .refused }
                ? .notPermitted(problems.first.map { "\($0.server): \($0.message)" } ?? "")
                : .unavailable(
                    problems.map {
                        $0.message.isEmpty ? .noAnswer(server: $0.server) : .reported("\($0.server): \($0.message)")
                    })
        case .cancelled: self = .cancelled
        case .closed: self = .closed
        case .noResource(let code): self = .noThread(code: code)
        }
    }

    private init(_ state: SQLState, _ message: String, waited: Duration) {
        switch state {
        case .lockNotAvailable, .uniqueViolation: self = .busy(holder: nil, waited: waited)
        case .diskFull: self = .full(message)
        case .readOnlyTransaction: self = .readOnly(message)
        // The text contains U+0000, which PostgreSQL cannot store.
        case .untranslatableText: self = .unsupported(.nullCharacter)
        case _ where state.isRefusal: self = .notPermitted(message)
        default: self = .database("\(state): \(message)", code: 0)
        }
    }
}
