public import SecretHashing

extension ProfileStoreError {
    /// The kind of an error, which decides what a caller can do about it. Later versions add no kinds, so a service can
    /// map each kind to an HTTP status.
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        /// The request is invalid. Correct it.
        case invalid
        /// The request names something that does not exist.
        case notFound
        /// The request conflicts with stored data.
        case conflict
        /// The request was based on outdated data. Read the data again, and repeat the request.
        case stale
        /// The caller, or this process, has no permission for the request.
        case denied
        /// There were too many failed attempts.
        case throttled
        /// The idempotency key belongs to another request.
        case keyReused
        /// The store or the machine is busy. Repeat the call later.
        case busy
        /// The store cannot be used now, or the call was cancelled. Nothing was written.
        case unavailable
        /// The outcome of the write is unknown, or the stored write could still be lost. Look the profile up before you
        /// repeat the write.
        case outcomeUnknown
        /// There is no space left.
        case full
        /// The store, its files or its settings need an administrator.
        case broken
    }

    /// The kind of this error, which decides what a caller can do.
    public var kind: Kind {
        switch reason {
        case .hashing(let error): error.kind
        case .notFound, .noStore, .brokenLink, .beyondHistory: .notFound
        case .duplicate, .tokenExists, .repeatedValues, .tooManyColumns, .otherPrimaryKey, .notUnused,
            .alreadyExists, .reservedName:
            .conflict
        case .staleRevision, .schemaChanged: .stale
        case .invalid, .invalidQuery, .keyedSecret, .unreadableAddress: .invalid
        case .keyReused: .keyReused
        case .busy, .noThread, .lockDisplaced: .busy
        case .cancelled, .closed, .unavailable, .notDurable: .unavailable
        case .outcomeUnknown, .storedOnOneMachine: .outcomeUnknown
        case .notPermitted, .readOnly, .unreadableLog: .denied
        case .notADatabase, .notAStore, .newerStore, .olderStore, .severalNames, .displaced, .unfinishedCopy,
            .notALockFile, .alteredMigration, .altered, .unreadableSchema, .corrupt, .cannotOpen, .inputOutput,
            .database, .unsupported:
            .broken
        case .full: .full
        }
    }
}

extension HashingError {
    /// The kind of this error, which decides what a caller can do.
    public var kind: ProfileStoreError.Kind {
        switch self {
        case .busy, .noThread, .outOfMemory: .busy
        case .cancelled: .unavailable
        case .unavailable, .unverifiable: .broken
        }
    }
}
