public import SecretHashing

extension ProfileStoreError {
    /// The stable name of an error, for metrics, logs and decisions. The name contains no details of the error. Later
    /// versions may have more codes.
    ///
    /// ```swift
    /// switch error.code {
    /// case .duplicate: return .conflict(error.fields)
    /// case .notFound: return .notFound
    /// default: throw error
    /// }
    /// ```
    public struct Code: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
        /// The name, such as `stale_revision`.
        public let rawValue: String

        /// Makes a code from its name.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The name.
        public var description: String { rawValue }

        // MARK: Refused requests

        /// No profile has the ``username``.
        public static let notFound = Code(rawValue: "not_found")

        /// Each of the unique ``fields`` has a value that another profile already has.
        public static let duplicate = Code(rawValue: "duplicate")

        /// The caller expected the ``expectedRevision``, but the profile has the ``currentRevision``. Nothing was
        /// written.
        public static let staleRevision = Code(rawValue: "stale_revision")

        /// The given values break the rules in force; see ``issues``. Nothing was written.
        public static let invalid = Code(rawValue: "invalid")

        /// The query is invalid. Examples: the query names an unknown or secret field; the type of a field cannot
        /// represent a value; the cursor belongs to another order. ``issues`` contains at least one issue.
        public static let invalidQuery = Code(rawValue: "invalid_query")

        /// The rules in force are not the rules that validated the profile, or not the version that an adoption expects.
        /// ``schemaVersion`` is the version in force. Validate the profile again, or read the rules again.
        public static let schemaChanged = Code(rawValue: "schema_changed")

        /// Another access token has the requested name.
        public static let tokenExists = Code(rawValue: "token_exists")

        /// The schema is not adopted, because several profiles have the same value in a field that the schema makes
        /// unique. ``fields`` contains this field, and ``detail`` contains at most ten of the repeated values.
        public static let repeatedValues = Code(rawValue: "repeated_values")

        /// The schema is not adopted, because all schemas of the store together have more fields than a table can have
        /// columns.
        public static let tooManyColumns = Code(rawValue: "too_many_columns")

        /// The schema is not adopted, because the stored profiles have another primary key. ``fields`` contains the new
        /// primary key, followed by the primary key in force.
        public static let otherPrimaryKey = Code(rawValue: "other_primary_key")

        /// The history does not reach back to the requested time, or does not contain the requested change.
        public static let beyondHistory = Code(rawValue: "beyond_history")

        /// The ``writeKey`` was used for another write within the last 24 hours. If a write is repeated with its key,
        /// the request must be the same.
        public static let keyReused = Code(rawValue: "key_reused")

        /// A write that sets the password of a stored profile has a ``WriteKey``. Repeat the write without a key. The
        /// store does not remember which password a request had, so it could not tell whether a repeat is the same.
        public static let keyedSecret = Code(rawValue: "keyed_secret")

        // MARK: Temporary failures

        /// The call waited longer than ``ProfileRepository/Options/waitLimit``; see ``waited``. If ``lockHolder`` is
        /// not nil, the call waited for the write lock of that process. If ``lockHolder`` is nil, there are three
        /// possible causes: another program holds SQLite's own lock; the server did not grant a row lock or a
        /// connection; or the server did not answer.
        ///
        /// If ``waited`` is zero, the call did not wait. There are two possible causes. A repeated registration must
        /// check its password, but the check is throttled or locked. Or too many calls of this process were waiting
        /// already: 10,000 writes, or 1,000 long reads of one kind. Long reads are, for example, exports and searches
        /// without an index. If no thread becomes free for a long read within the wait limit, the read also throws
        /// this error.
        public static let busy = Code(rawValue: "busy")

        /// The caller's task was cancelled, and the operation wrote nothing.
        public static let cancelled = Code(rawValue: "cancelled")

        /// The repository is closed.
        public static let closed = Code(rawValue: "closed")

        /// A secret could not be hashed; see ``hashingError``. Examples of the code are `hashing_busy` and
        /// `hashing_out_of_memory`.
        public static func hashing(_ error: HashingError) -> Code { Code(rawValue: "hashing_" + error.code) }

        /// The system could not start a thread; ``systemError`` is the system's `errno`.
        public static let noThread = Code(rawValue: "no_thread")

        /// The lock file at ``path`` was removed or replaced while this process held the write lock. Nothing was
        /// written.
        public static let lockDisplaced = Code(rawValue: "lock_displaced")

        // MARK: Servers

        /// No server of the address can be used at the moment. Each server has one of these problems: it cannot be
        /// reached, it does not answer in time, or it does not accept the operation; ``detail`` contains the reported
        /// messages. Nothing was written.
        public static let unavailable = Code(rawValue: "unavailable")

        /// It is unknown whether the write was committed, because the connection was lost during the write and no
        /// server answered in time. Repeat the write with its ``WriteKey``, or look the profile up.
        public static let outcomeUnknown = Code(rawValue: "outcome_unknown")

        /// The write is stored on one machine only, because the server stopped waiting for a standby during the write.
        /// If that machine is lost before a standby has caught up, the write is lost. If the write is repeated without
        /// its ``WriteKey``, it is made a second time. If the write is repeated with the key, the repeat returns the
        /// stored answer as soon as a standby has the write.
        public static let storedOnOneMachine = Code(rawValue: "stored_on_one_machine")

        /// The server does not let this user connect, or does not permit the operation; ``detail`` contains the
        /// server's message.
        public static let notPermitted = Code(rawValue: "not_permitted")

        /// Committed writes could be lost if one machine fails. Either the server's settings are unsafe, or no standby
        /// confirms commits. If settings are the reason, ``detail`` contains them. Nothing was written.
        public static let notDurable = Code(rawValue: "not_durable")

        /// The address of the database cannot be used. For example, the address contains a password, which other users
        /// could read.
        public static let unreadableAddress = Code(rawValue: "unreadable_address")

        // MARK: Files

        /// There is no file at ``path``, or it is empty.
        public static let noStore = Code(rawValue: "no_store")

        /// The ``path`` is a symbolic link to a file that does not exist. No store was created.
        public static let brokenLink = Code(rawValue: "broken_link")

        /// The file at ``path`` is not an SQLite database. The file is unchanged.
        public static let notADatabase = Code(rawValue: "not_a_database")

        /// The file at ``path`` is an SQLite database of another program. The file is unchanged.
        public static let notAStore = Code(rawValue: "not_a_store")

        /// A later version of this program created or migrated the store at ``path``. The store is unchanged.
        public static let newerStore = Code(rawValue: "newer_store")

        /// An earlier version of this program created the store at ``path``. Migrate the store.
        public static let olderStore = Code(rawValue: "older_store")

        /// The file at ``path`` has a second name (a hard link). If a program opens the file by the second name, it
        /// uses another lock file and another write-ahead log. Remove one of the names, or copy the file.
        public static let severalNames = Code(rawValue: "several_names")

        /// The file at ``path`` was removed or replaced while the store was open. Later writes are not in the file that
        /// is now at ``path``.
        public static let displaced = Code(rawValue: "displaced")

        /// The store at ``path`` is an unfinished copy of another store. Copy again to finish it.
        public static let unfinishedCopy = Code(rawValue: "unfinished_copy")

        /// Nothing can be copied into the store at ``path``. Either the store was used already: for example, it has
        /// profiles or access tokens. Or its rules are not the first rules of the source.
        public static let notUnused = Code(rawValue: "not_unused")

        /// The file at ``path`` has the name of the store's lock file, `…-lock`, but is not a lock file. The file is
        /// unchanged. Move it away.
        public static let notALockFile = Code(rawValue: "not_a_lock_file")

        /// An applied migration differs from this program's migration of the same name.
        public static let alteredMigration = Code(rawValue: "altered_migration")

        /// A table, index, view or trigger in the file differs from what this program creates; see ``alteredObject``.
        /// No code in the file was run.
        public static let altered = Code(rawValue: "altered")

        /// The stored schema cannot be read.
        public static let unreadableSchema = Code(rawValue: "unreadable_schema")

        /// The database is damaged.
        public static let corrupt = Code(rawValue: "corrupt")

        /// The file or its file system is read-only.
        public static let readOnly = Code(rawValue: "read_only")

        /// There is no space left for the store. The transaction was rolled back.
        public static let full = Code(rawValue: "full")

        /// The newest changes are only in the write-ahead log. SQLite must create files in the store's folder to read
        /// the log, but this user has no permission to write in the folder at ``path``. A user with this permission
        /// must open and close the store once.
        public static let unreadableLog = Code(rawValue: "unreadable_log")

        /// The file at ``path`` exists already. It is unchanged.
        public static let alreadyExists = Code(rawValue: "already_exists")

        /// The ``path`` is reserved, because SQLite itself creates and removes a file with this name beside a store.
        public static let reservedName = Code(rawValue: "reserved_name")

        /// The system refused to open or create the file or folder at ``path``; ``systemError`` is the system's
        /// `errno`.
        public static let cannotOpen = Code(rawValue: "cannot_open")

        /// Reading or writing failed; ``systemError`` is the `errno`, if the system gave one.
        public static let inputOutput = Code(rawValue: "input_output")

        /// The database reports an error that has no other code; ``detail`` contains the database's message.
        public static let database = Code(rawValue: "database")

        /// The engine or the server of this repository does not support the operation.
        public static let unsupported = Code(rawValue: "unsupported")
    }

    /// The stable name of this error.
    public var code: Code {
        switch reason {
        case .notFound: .notFound
        case .duplicate: .duplicate
        case .staleRevision: .staleRevision
        case .invalid: .invalid
        case .invalidQuery: .invalidQuery
        case .schemaChanged: .schemaChanged
        case .tokenExists: .tokenExists
        case .repeatedValues: .repeatedValues
        case .tooManyColumns: .tooManyColumns
        case .otherPrimaryKey: .otherPrimaryKey
        case .beyondHistory: .beyondHistory
        case .keyReused: .keyReused
        case .keyedSecret: .keyedSecret
        case .busy: .busy
        case .cancelled: .cancelled
        case .closed: .closed
        case .hashing(let error): .hashing(error)
        case .noThread: .noThread
        case .lockDisplaced: .lockDisplaced
        case .unavailable: .unavailable
        case .outcomeUnknown: .outcomeUnknown
        case .storedOnOneMachine: .storedOnOneMachine
        case .notPermitted: .notPermitted
        case .notDurable: .notDurable
        case .unreadableAddress: .unreadableAddress
        case .noStore: .noStore
        case .brokenLink: .brokenLink
        case .notADatabase: .notADatabase
        case .notAStore: .notAStore
        case .newerStore: .newerStore
        case .olderStore: .olderStore
        case .severalNames: .severalNames
        case .displaced: .displaced
        case .unfinishedCopy: .unfinishedCopy
        case .notUnused: .notUnused
        case .notALockFile: .notALockFile
        case .alteredMigration: .alteredMigration
        case .altered: .altered
        case .unreadableSchema: .unreadableSchema
        case .corrupt: .corrupt
        case .readOnly: .readOnly
        case .full: .full
        case .unreadableLog: .unreadableLog
        case .alreadyExists: .alreadyExists
        case .reservedName: .reservedName
        case .cannotOpen: .cannotOpen
        case .inputOutput: .inputOutput
        case .database: .database
        case .unsupported: .unsupported
        }
    }

    /// Whether a listener of changes repeats a read that failed with this error.
    package var isTransient: Bool { code.isTransient }

    /// Whether the store refused the request because of the request's content or because of the stored data. The store
    /// itself is not damaged.
    package var isRefusal: Bool {
        switch reason {
        case .notFound, .duplicate, .staleRevision, .invalid, .invalidQuery, .schemaChanged, .tokenExists,
            .repeatedValues, .tooManyColumns, .otherPrimaryKey, .beyondHistory, .keyReused, .keyedSecret:
            true
        default: false
        }
    }
}

extension ProfileStoreError.Code {
    /// Whether a listener of changes repeats a read that failed with this code.
    package var isTransient: Bool { [.busy, .unavailable, .outcomeUnknown, .notDurable].contains(self) }
}

extension HashingError {
    /// The name of the case, without its associated value.
    fileprivate var code: String {
        switch self {
        case .busy: "busy"
        case .cancelled: "cancelled"
        case .outOfMemory: "out_of_memory"
        case .noThread: "no_thread"
        case .unavailable: "unavailable"
        case .unverifiable: "unverifiable"
        }
    }
}
