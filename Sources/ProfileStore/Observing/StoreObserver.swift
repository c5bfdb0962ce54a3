internal import SecretHashing
internal import Threads

/// Is told of what a repository does, for the metrics, logs and traces of a service: which operation, what came of it, how
/// long it took and waited. Never of a value, a name or a path.
///
/// ```swift
/// options.observer = StoreObserver { operation in
///     Metrics.Timer(label: "profiles_\(operation.name.rawValue)").record(duration: operation.duration)
/// }
/// ```
///
/// See <doc:Observing>.
public struct StoreObserver: Sendable {
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

extension StoreObserver.Operation {
    /// What an operation is called. There may be more in later versions.
    public struct Name: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
        /// The name, such as `look_up`.
        public let rawValue: String

        /// Makes a name from its text.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The name.
        public var description: String { rawValue }

        // Profiles.

        /// One profile by its username or id.
        public static let lookUp = Name(rawValue: "look_up")
        /// A page of a query.
        public static let page = Name(rawValue: "page")
        /// How many profiles a query finds, or are still to be judged.
        public static let count = Name(rawValue: "count")
        /// Some thousand profiles, for an export or for judging them again; an operation each time.
        public static let scan = Name(rawValue: "scan")
        /// What the store holds.
        public static let statistics = Name(rawValue: "statistics")
        /// A new profile.
        public static let register = Name(rawValue: "register")
        /// A profile in the place of another, as an edit stores it.
        public static let replace = Name(rawValue: "replace")
        /// One profile that is removed, or those of a query, a thousand at the most.
        public static let remove = Name(rawValue: "remove")
        /// A batch of an import or of new profiles, in one transaction. ``StoreObserver/Operation/rows`` counts all that it was
        /// given, also those that were refused.
        public static let storeBatch = Name(rawValue: "store_batch")
        /// A batch of an import that is not to write.
        public static let previewBatch = Name(rawValue: "preview_batch")
        /// All of an import, in one transaction; its rows are counted as a batch's.
        public static let load = Name(rawValue: "load")
        /// A step of copying a whole store: some thousand profiles that are written, or what it holds besides.
        public static let copy = Name(rawValue: "copy")
        /// Whether some usernames, or any, are stored.
        public static let lookUpNames = Name(rawValue: "look_up_names")
        /// What came of a write with a key before.
        public static let lookUpKey = Name(rawValue: "look_up_key")
        /// Keeps what came of a write with a key, which had nothing to write.
        public static let keepKey = Name(rawValue: "keep_key")

        // Rules.

        /// The rules in force, or all that ever were.
        public static let readSchema = Name(rawValue: "read_schema")
        /// Other rules are put in force.
        public static let adopt = Name(rawValue: "adopt")
        /// Profiles that the rules in force found invalid before.
        public static let lookUpInvalid = Name(rawValue: "look_up_invalid")
        /// What judging some thousand profiles has found is written down.
        public static let mark = Name(rawValue: "mark")

        // Secrets.

        /// A password or passcode is hashed, which takes tens of milliseconds. An import has an operation for each.
        public static let hash = Name(rawValue: "hash")
        /// A password or passcode is compared with its hash: an attempt at one. It is refused as `wrong`.
        public static let verify = Name(rawValue: "verify")
        /// The hash of a secret.
        public static let lookUpCredential = Name(rawValue: "look_up_credential")
        /// A passcode is set.
        public static let setPasscode = Name(rawValue: "set_passcode")
        /// A passcode takes the place of another.
        public static let replacePasscode = Name(rawValue: "replace_passcode")
        /// A passcode is removed.
        public static let removePasscode = Name(rawValue: "remove_passcode")
        /// An attempt is counted before it is made. It is refused as `throttled` or `locked`.
        public static let admitAttempt = Name(rawValue: "admit_attempt")
        /// What came of an attempt is written down, and its session started.
        public static let settleAttempt = Name(rawValue: "settle_attempt")
        /// Failed attempts are forgotten.
        public static let unlock = Name(rawValue: "unlock")

        // Accounts.

        /// A session is started without a password.
        public static let startSession = Name(rawValue: "start_session")
        /// The session of a token. One that was looked up a moment ago is no operation.
        public static let lookUpSession = Name(rawValue: "look_up_session")
        /// Sessions.
        public static let listSessions = Name(rawValue: "list_sessions")
        /// A session is ended, or all of a profile.
        public static let endSession = Name(rawValue: "end_session")
        /// An access token is made.
        public static let createToken = Name(rawValue: "create_token")
        /// An access token. One that was looked up a moment ago is no operation.
        public static let lookUpToken = Name(rawValue: "look_up_token")
        /// Access tokens.
        public static let listTokens = Name(rawValue: "list_tokens")
        /// An access token is removed.
        public static let revokeToken = Name(rawValue: "revoke_token")
        /// When tokens were used is written down, beside the requests that use them.
        public static let noteUses = Name(rawValue: "note_uses")
        /// A reset of a password is issued.
        public static let issueReset = Name(rawValue: "issue_reset")
        /// A reset.
        public static let lookUpReset = Name(rawValue: "look_up_reset")
        /// A reset is used.
        public static let redeemReset = Name(rawValue: "redeem_reset")
        /// Sessions and resets that have expired are removed, some hundreds at a time.
        public static let removeExpired = Name(rawValue: "remove_expired")

        // The store.

        /// A sign of life.
        public static let ping = Name(rawValue: "ping")
        /// Changes, or the number of the newest one.
        public static let readChanges = Name(rawValue: "read_changes")
        /// The file is checked.
        public static let check = Name(rawValue: "check")
        /// The file is copied.
        public static let backUp = Name(rawValue: "back_up")
    }
}

// MARK: Telling it

extension StoreObserver {
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
            case .failure(let error): .failed(code: ProfileStoreError.hashing(error).code.rawValue)
            }
        finished(
            Operation(
                name: work.isVerification ? .verify : .hash, outcome: outcome, duration: work.duration,
                waited: work.waited, rows: outcome == .done ? 1 : 0))
    }
}

extension StoreObserver.Outcome {
    fileprivate init(_ error: ProfileStoreError) {
        if error == .cancelled {
            self = .cancelled
        } else {
            let code = error.code.rawValue
            self = error.isRefusal ? .refused(code: code) : .failed(code: code)
        }
    }
}
