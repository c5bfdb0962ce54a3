internal import SecretHashing

extension ProfileStoreError {
    /// The name of the error without its facts, for metrics and logs: `stale_revision`, `busy`, `hashing_busy`, … It stays
    /// the same from version to version.
    public var code: String {
        switch self {
        case .notFound: "not_found"
        case .duplicate: "duplicate"
        case .staleRevision: "stale_revision"
        case .invalid: "invalid"
        case .invalidQuery: "invalid_query"
        case .schemaChanged: "schema_changed"
        case .tokenExists: "token_exists"
        case .repeatedValues: "repeated_values"
        case .tooManyColumns: "too_many_columns"
        case .otherPrimaryKey: "other_primary_key"
        case .keyReused: "key_reused"
        case .busy: "busy"
        case .cancelled: "cancelled"
        case .closed: "closed"
        case .hashing(let error): "hashing_" + error.code
        case .noThread: "no_thread"
        case .lockDisplaced: "lock_displaced"
        case .unavailable: "unavailable"
        case .outcomeUnknown: "outcome_unknown"
        case .storedOnOneMachine: "stored_on_one_machine"
        case .notPermitted: "not_permitted"
        case .notDurable: "not_durable"
        case .unreadableAddress: "unreadable_address"
        case .noStore: "no_store"
        case .brokenLink: "broken_link"
        case .notADatabase: "not_a_database"
        case .notAStore: "not_a_store"
        case .newerStore: "newer_store"
        case .olderStore: "older_store"
        case .severalNames: "several_names"
        case .displaced: "displaced"
        case .unfinishedCopy: "unfinished_copy"
        case .notUnused: "not_unused"
        case .notALockFile: "not_a_lock_file"
        case .alteredMigration: "altered_migration"
        case .altered: "altered"
        case .unreadableSchema: "unreadable_schema"
        case .corrupt: "corrupt"
        case .readOnly: "read_only"
        case .full: "full"
        case .unreadableLog: "unreadable_log"
        case .alreadyExists: "already_exists"
        case .reservedName: "reserved_name"
        case .cannotOpen: "cannot_open"
        case .inputOutput: "input_output"
        case .database: "database"
        case .unsupported: "unsupported"
        }
    }

    /// Whether the same may succeed a while later although the caller changes nothing.
    package var isTransient: Bool { Self.isTransient(code: code) }

    /// Whether an error of this code is transient, for those who know the code alone.
    package static func isTransient(code: String) -> Bool {
        ["busy", "unavailable", "outcome_unknown", "not_durable"].contains(code)
    }

    /// Whether the store was asked for what cannot be, or not any more: nothing is wrong with it.
    package var isRefusal: Bool {
        switch self {
        case .notFound, .duplicate, .staleRevision, .invalid, .invalidQuery, .schemaChanged, .tokenExists,
            .repeatedValues, .tooManyColumns, .otherPrimaryKey, .keyReused:
            true
        default: false
        }
    }
}

extension HashingError {
    /// The name of the error without its facts.
    var code: String {
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
