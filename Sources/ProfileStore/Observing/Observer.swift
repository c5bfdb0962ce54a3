internal import SecretHashing
internal import Threads

/// Is told of what a repository does, for the metrics, logs and traces of a service: which operation, what came of it, how
/// long it took and waited. Never of a value, a name or a path.
///
/// ```swift
/// options.observer = Observer { operation in
///     Metrics.Timer(label: "profiles_\(operation.name.rawValue)").record(duration: operation.duration)
/// }
/// ```
///
/// See <doc:Observing>.
public struct Observer: Sendable {
    /// Called when an operation has come to its end, in the task that waits for it, which goes on when this returns: so it
    /// has to be quick, and must not wait for the repository. May be called by many tasks at once.
    public let finished: @Sendable (Operation) -> Void

    /// Makes an observer, for ``ProfileRepository/Options/observer``.
    public init(finished: @escaping @Sendable (Operation) -> Void) { self.finished = finished }

    /// One thing that the repository asked of its store, or of its hasher.
    public struct Operation: Hashable, Sendable {
        /// What was asked for.
        public let name: Name
        /// What came of it.
        public let outcome: Outcome
        /// From asking to the outcome.
        public let duration: Duration
        /// How much of ``duration`` it waited for its turn: for the write lock, or for a thread. Look-ups wait for nothing.
        public let waited: Duration
        /// How many profiles it has found, written or removed; or sessions, tokens, changes, whatever it is about. None
        /// where there was nothing, or the outcome is another than ``Outcome/done``.
        public let rows: Int
    }

    /// What came of an operation.
    public enum Outcome: Hashable, Sendable {
        /// It is done; ``Operation/rows`` says whether there was something.
        case done
        /// The answer is no: a ``ProfileStoreError/code`` such as `duplicate` or `stale_revision`, and of attempts at a
        /// secret `wrong`, `throttled` or `locked`. Nothing is wrong with the store.
        case refused(code: String)
        /// Something was in the way: a ``ProfileStoreError/code`` such as `busy`, `full` or `corrupt`.
        case failed(code: String)
        /// The task was cancelled before its turn.
        case cancelled
    }
}

extension Observer.Operation {
    /// What an operation is called. There may be more in later versions.
    public enum Name: String, CaseIterable, Hashable, Sendable {
        // Profiles.

        /// One profile by its username or id.
        case lookUp = "look_up"
        /// A page of a query.
        case page
        /// How many profiles a query finds, or are still to be judged.
        case count
        /// Some thousand profiles, for an export or for judging them again; an operation each time.
        case scan
        /// What the store holds.
        case statistics
        /// A new profile.
        case register
        /// A profile in the place of another, as an edit stores it.
        case replace
        /// One profile that is removed, or those of a query, a thousand at the most.
        case remove
        /// A batch of an import or of new profiles, in one transaction. ``Observer/Operation/rows`` counts all that it was
        /// given, also those that were refused.
        case storeBatch = "store_batch"
        /// A batch of an import that is not to write.
        case previewBatch = "preview_batch"
        /// All of an import, in one transaction; its rows are counted as a batch's.
        case load
        /// A step of copying a whole store: some thousand profiles that are written, or what it holds besides.
        case copy
        /// Whether some usernames, or any, are stored.
        case lookUpNames = "look_up_names"
        /// What came of a write with a key before.
        case lookUpKey = "look_up_key"
        /// Keeps what came of a write with a key, which had nothing to write.
        case keepKey = "keep_key"

        // Rules.

        /// The rules in force, or all that ever were.
        case readSchema = "read_schema"
        /// Other rules are put in force.
        case adopt
        /// Profiles that the rules in force found invalid before.
        case lookUpInvalid = "look_up_invalid"
        /// What judging some thousand profiles has found is written down.
        case mark

        // Secrets.

        /// A password or passcode is hashed, which takes tens of milliseconds. An import has an operation for each.
        case hash
        /// A password or passcode is compared with its hash: an attempt at one. It is refused as `wrong`.
        case verify
        /// The hash of a secret.
        case lookUpCredential = "look_up_credential"
        /// A passcode is set.
        case setPasscode = "set_passcode"
        /// A passcode takes the place of another.
        case replacePasscode = "replace_passcode"
        /// A passcode is removed.
        case removePasscode = "remove_passcode"
        /// An attempt is counted before it is made. It is refused as `throttled` or `locked`.
        case admitAttempt = "admit_attempt"
        /// What came of an attempt is written down, and its session started.
        case settleAttempt = "settle_attempt"
        /// Failed attempts are forgotten.
        case unlock

        // Accounts.

        /// A session is started without a password.
        case startSession = "start_session"
        /// The session of a token. One that was looked up a moment ago is no operation.
        case lookUpSession = "look_up_session"
        /// Sessions.
        case listSessions = "list_sessions"
        /// A session is ended, or all of a profile.
        case endSession = "end_session"
        /// An access token is made.
        case createToken = "create_token"
        /// An access token. One that was looked up a moment ago is no operation.
        case lookUpToken = "look_up_token"
        /// Access tokens.
        case listTokens = "list_tokens"
        /// An access token is removed.
        case revokeToken = "revoke_token"
        /// When tokens were used is written down, beside the requests that use them.
        case noteUses = "note_uses"
        /// A reset of a password is issued.
        case issueReset = "issue_reset"
        /// A reset.
        case lookUpReset = "look_up_reset"
        /// A reset is used.
        case redeemReset = "redeem_reset"
        /// Sessions and resets that have expired are removed, some hundreds at a time.
        case removeExpired = "remove_expired"

        // The store.

        /// A sign of life.
        case ping
        /// Changes, or the number of the newest one.
        case readChanges = "read_changes"
        /// The file is checked.
        case check
        /// The file is copied.
        case backUp = "back_up"
    }
}

// MARK: Telling it

extension Observer {
    /// Runs what the store is asked for, and tells of it.
    ///
    /// - Parameters:
    ///   - name: What it is called.
    ///   - rows: How many it is about, once it is done.
    ///   - refusal: Under which code what it returned is a refusal; nil where it is none.
    ///   - body: Asks the store.
    /// - Returns: What `body` returns.
    /// - Throws: What `body` throws.
    package func observing<Value>(
        _ name: Operation.Name, rows: (Value) -> Int, refusal: (Value) -> String? = { _ in nil },
        _ body: () async throws(ProfileStoreError) -> Value
    ) async throws(ProfileStoreError) -> Value {
        let measured = await WaitingTime.measuring(body)
        let (outcome, rowCount): (Outcome, Int) =
            switch measured.outcome {
            case .success(let value): refusal(value).map { (.refused(code: $0), 0) } ?? (.done, rows(value))
            case .failure(let error): (Outcome(error), 0)
            }
        finished(
            Operation(
                name: name, outcome: outcome, duration: measured.duration, waited: measured.waited, rows: rowCount))
        return try measured.outcome.get()
    }

    /// Tells of a hash.
    func tell(_ work: HashingWork) {
        let outcome: Outcome =
            switch work.outcome {
            case .success(let isRight): isRight ? .done : .refused(code: "wrong")
            case .failure(.cancelled): .cancelled
            case .failure(let error): .failed(code: ProfileStoreError.hashing(error).code)
            }
        finished(
            Operation(
                name: work.isVerification ? .verify : .hash, outcome: outcome, duration: work.duration,
                waited: work.waited, rows: outcome == .done ? 1 : 0))
    }
}

extension Observer.Outcome {
    fileprivate init(_ error: ProfileStoreError) {
        if error == .cancelled {
            self = .cancelled
        } else {
            self = error.isRefusal ? .refused(code: error.code) : .failed(code: error.code)
        }
    }
}
