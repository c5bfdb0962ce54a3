internal import SecretHashing
internal import Threads

/// Receives the operations of a repository, for the metrics, logs and traces of a service. For each operation, it
/// receives the name, the outcome, the duration, the waiting time and the number of rows. The observer never receives a
/// value, a username or a path.
///
/// ```swift
/// options.observer = StoreObserver { operation in
///     Metrics.Timer(label: "profiles_\(operation.name.rawValue)").record(duration: operation.duration)
/// }
/// ```
///
/// See <doc:Observing>.
public struct StoreObserver: Sendable {
    /// Receives an operation when the operation ends. The function runs in the task of the caller, and the caller
    /// continues when it returns. So it must be quick, and must not wait for the repository. Several tasks may call the
    /// function at the same time.
    public let finished: @Sendable (Operation) -> Void

    /// Creates an observer for ``ProfileRepository/Options/observer``.
    public init(finished: @escaping @Sendable (Operation) -> Void) { self.finished = finished }

    /// One operation of the repository on its store or its hasher.
    public struct Operation: Hashable, Sendable {
        /// The name of the operation.
        public let name: Name
        /// The outcome.
        public let outcome: Outcome
        /// The time from the start to the outcome.
        public let duration: Duration
        /// The part of ``duration`` in which the operation waited for the write lock, for a thread, or for a connection
        /// to a server. On SQLite, look-ups do not wait.
        public let waited: Duration
        /// The number of profiles, sessions, tokens or changes that the operation found, wrote or removed. Zero if
        /// there was no such item, or if the outcome is not ``Outcome/done``.
        public let rows: Int
    }

    /// The outcome of an operation.
    public enum Outcome: Hashable, Sendable {
        /// The operation is done. ``Operation/rows`` is the number of its rows.
        case done
        /// The store refused the request. The code is a ``ProfileStoreError/code`` such as `duplicate` or
        /// `stale_revision`. If the request is an attempt to use a secret, the code may be `wrong`, `throttled` or
        /// `locked`. The store itself works normally.
        case refused(code: String)
        /// The operation failed with a ``ProfileStoreError/code`` such as `busy`, `full` or `corrupt`.
        case failed(code: String)
        /// The task was cancelled.
        case cancelled
    }
}

extension StoreObserver.Operation {
    /// The name of an operation. Later versions may have more names.
    public struct Name: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
        /// The name, such as `look_up`.
        public let rawValue: String

        /// Makes a name from its text.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The name.
        public var description: String { rawValue }

        // Profiles.

        /// Looks one profile up by its username or id.
        public static let lookUp = Name(rawValue: "look_up")
        /// Reads a page of a query.
        public static let page = Name(rawValue: "page")
        /// Counts the profiles that a query finds, or the profiles that the rules in force have not validated yet.
        public static let count = Name(rawValue: "count")
        /// Reads some thousand profiles, for example for an export, a copy or a revalidation.
        public static let scan = Name(rawValue: "scan")
        /// Reads the statistics.
        public static let statistics = Name(rawValue: "statistics")
        /// Stores a new profile.
        public static let register = Name(rawValue: "register")
        /// Stores an edited profile.
        public static let replace = Name(rawValue: "replace")
        /// Removes one profile, or up to a thousand profiles of a query.
        public static let remove = Name(rawValue: "remove")
        /// Edits, removes or restores up to a thousand profiles, for an edit of many profiles or for an undo.
        public static let writeMany = Name(rawValue: "write_many")
        /// Merges two profiles. ``StoreObserver/Operation/rows`` counts both.
        public static let merge = Name(rawValue: "merge")
        /// Stores a batch of an import or of new profiles in one transaction. ``StoreObserver/Operation/rows`` counts
        /// all valid rows, including rows that were not stored.
        public static let storeBatch = Name(rawValue: "store_batch")
        /// Validates a batch of an import without storing it.
        public static let previewBatch = Name(rawValue: "preview_batch")
        /// Stores a whole import in one transaction. ``StoreObserver/Operation/rows`` counts rows as for
        /// ``storeBatch``. If the store was empty, this number may include only the new profiles.
        public static let load = Name(rawValue: "load")
        /// A step of copying a store. The step writes some thousand profiles, or all data of the store except the
        /// profiles.
        public static let copy = Name(rawValue: "copy")
        /// Checks which usernames of a list are stored, or whether the store has any profile.
        public static let lookUpNames = Name(rawValue: "look_up_names")
        /// Looks up the outcome of a keyed write.
        public static let lookUpKey = Name(rawValue: "look_up_key")
        /// Stores the outcome of a keyed write that changed nothing.
        public static let keepKey = Name(rawValue: "keep_key")

        // Rules.

        /// Reads the rules in force, or all versions.
        public static let readSchema = Name(rawValue: "read_schema")
        /// Puts other rules in force.
        public static let adopt = Name(rawValue: "adopt")
        /// Stores the validation results of some thousand profiles.
        public static let mark = Name(rawValue: "mark")

        // Secrets.

        /// Hashes a password or passcode, which takes tens of milliseconds. An import reports one operation for each
        /// plaintext password.
        public static let hash = Name(rawValue: "hash")
        /// Compares a password or passcode with its hash. A wrong password or passcode is refused as `wrong`.
        public static let verify = Name(rawValue: "verify")
        /// Reads the hash of a secret.
        public static let lookUpCredential = Name(rawValue: "look_up_credential")
        /// Sets a passcode.
        public static let setPasscode = Name(rawValue: "set_passcode")
        /// Replaces a passcode.
        public static let replacePasscode = Name(rawValue: "replace_passcode")
        /// Removes a passcode.
        public static let removePasscode = Name(rawValue: "remove_passcode")
        /// Counts an attempt before the secret is checked. The attempt may be refused as `throttled` or `locked`.
        public static let admitAttempt = Name(rawValue: "admit_attempt")
        /// Stores the outcome of an attempt, and starts the session if one was requested.
        public static let settleAttempt = Name(rawValue: "settle_attempt")
        /// Forgets failed attempts.
        public static let unlock = Name(rawValue: "unlock")

        // Accounts.

        /// Starts a session without a password.
        public static let startSession = Name(rawValue: "start_session")
        /// Looks a session up. If the session is in the cache, no operation is reported.
        public static let lookUpSession = Name(rawValue: "look_up_session")
        /// Lists sessions.
        public static let listSessions = Name(rawValue: "list_sessions")
        /// Ends a session, or all sessions of a profile.
        public static let endSession = Name(rawValue: "end_session")
        /// Creates an access token.
        public static let createToken = Name(rawValue: "create_token")
        /// Looks an access token up. If the token is in the cache, no operation is reported.
        public static let lookUpToken = Name(rawValue: "look_up_token")
        /// Lists access tokens.
        public static let listTokens = Name(rawValue: "list_tokens")
        /// Revokes an access token.
        public static let revokeToken = Name(rawValue: "revoke_token")
        /// Writes, in the background, when tokens were last used.
        public static let noteUses = Name(rawValue: "note_uses")
        /// Issues a password reset.
        public static let issueReset = Name(rawValue: "issue_reset")
        /// Looks a reset up.
        public static let lookUpReset = Name(rawValue: "look_up_reset")
        /// Looks up the token of a device, which a login has presented.
        public static let lookUpDevice = Name(rawValue: "look_up_device")
        /// Lists the devices of a profile.
        public static let listDevices = Name(rawValue: "list_devices")
        /// Ends a device, or all devices of a profile.
        public static let endDevice = Name(rawValue: "end_device")
        /// Sets a new password after the present one was checked, and starts a session.
        public static let changePassword = Name(rawValue: "change_password")
        /// Redeems a reset.
        public static let redeemReset = Name(rawValue: "redeem_reset")
        /// Removes some hundred expired tokens and entries of the history.
        public static let removeExpired = Name(rawValue: "remove_expired")

        // The store.

        /// Checks that the store answers.
        public static let ping = Name(rawValue: "ping")
        /// Reads changes, or the number of the newest change.
        public static let readChanges = Name(rawValue: "read_changes")
        /// Reads the history.
        public static let readHistory = Name(rawValue: "read_history")
        /// Changes the time for which the history is kept.
        public static let keepHistory = Name(rawValue: "keep_history")
        /// Removes all traces of a profile.
        public static let erase = Name(rawValue: "erase")
        /// Checks the file.
        public static let check = Name(rawValue: "check")
        /// Copies the file.
        public static let backUp = Name(rawValue: "back_up")
    }
}

// MARK: Reporting operations

extension StoreObserver {
    /// Runs an operation of the store and reports it.
    ///
    /// - Parameters:
    ///   - name: The name of the operation.
    ///   - rows: Counts the rows of a result.
    ///   - refusal: Returns a code if the result is a refusal; otherwise nil.
    ///   - body: Calls the store.
    /// - Returns: The result of `body`.
    /// - Throws: The error of `body`.
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

    /// Reports the computation of a hash.
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
