public import ProfileCore
public import SecretHashing

/// An error of a store. An error has a ``code``, a ``kind`` and facts. The kind decides what a caller can do.
///
/// A fact that an error does not have is nil or empty. The documentation of an error's code names its main facts. An
/// error contains no text for people; the program that shows the error writes the text.
public struct ProfileStoreError: Error, Hashable, Sendable {
    package let reason: Reason

    package init(_ reason: Reason) { self.reason = reason }
}

// MARK: Facts

extension ProfileStoreError {
    /// The issues of an invalid profile or query. For `duplicate`, there is one issue for each field in which another
    /// profile has the same value. Nil for any other error. A ``ReportedIssue`` adds the schema's message to an issue.
    public var issues: [ValidationIssue]? {
        switch reason {
        case .invalid(let failure): failure.issues
        case .invalidQuery(let issues): issues
        case .duplicate(let fields): fields.map { ValidationIssue($0, .duplicate(line: nil)) }
        default: nil
        }
    }

    /// The fields that the error is about; empty if there are none.
    public var fields: [FieldName] {
        switch reason {
        case .duplicate(let fields): fields
        case .repeatedValues(let field, _): [field]
        case .otherPrimaryKey(let key, let inForce): [key, inForce]
        default: []
        }
    }

    /// The username that no profile has. If the caller named the profile by its id, this is the id as text.
    public var username: String? { if case .notFound(let username) = reason { username } else { nil } }

    /// The revision that the caller expected.
    public var expectedRevision: Int64? {
        if case .staleRevision(let expected, _) = reason { expected } else { nil }
    }

    /// The revision that the profile has.
    public var currentRevision: Int64? {
        if case .staleRevision(_, let current) = reason { current } else { nil }
    }

    /// The version of the schema in force, or of the schema that cannot be read.
    public var schemaVersion: Int? {
        switch reason {
        case .schemaChanged(let version), .unreadableSchema(let version, _): version
        default: nil
        }
    }

    /// The idempotency key that belongs to another write.
    public var writeKey: WriteKey? { if case .keyReused(let key) = reason { key } else { nil } }

    /// The process that holds the write lock.
    public var lockHolder: LockHolder? { if case .busy(let holder, _) = reason { holder } else { nil } }

    /// The time for which the call waited.
    public var waited: Duration? { if case .busy(_, let waited) = reason { waited } else { nil } }

    /// The reason why a password or a passcode could not be hashed or verified.
    public var hashingError: HashingError? { if case .hashing(let error) = reason { error } else { nil } }

    /// The table, index, view or trigger that does not match the definitions of this program.
    public var alteredObject: AlteredObject? { if case .altered(let object) = reason { object } else { nil } }

    /// The file or folder that the error is about.
    public var path: String? {
        switch reason {
        case .lockDisplaced(let path), .noStore(let path), .brokenLink(let path, _), .notADatabase(let path),
            .notAStore(let path), .newerStore(let path, _, _), .olderStore(let path, _, _), .severalNames(let path),
            .displaced(let path), .unfinishedCopy(let path), .notUnused(let path), .notALockFile(let path, _),
            .unreadableLog(let path), .alreadyExists(let path), .reservedName(let path), .cannotOpen(let path, _):
            path
        default: nil
        }
    }

    /// The system's `errno`; nil if the system gave none.
    public var systemError: Int32? {
        switch reason {
        case .noThread(let code), .cannotOpen(_, let code), .inputOutput(_, let code): code == 0 ? nil : code
        default: nil
        }
    }

    /// The details of the error. Each element is a message of a server or of SQLite, the name of a server that did not
    /// answer, a setting, or a repeated value.
    public var detail: [String] {
        switch reason {
        case .unavailable(let problems): problems.compactMap(\.detail)
        case .outcomeUnknown(let problem): [problem.detail].compactMap(\.self)
        case .notPermitted(let text), .readOnly(let text), .full(let text), .inputOutput(let text, _),
            .database(let text, _), .corrupt(.reported(let text)):
            [text]
        case .notDurable(.settings(let names, let value)): names.map { "\($0)=\(value)" }
        case .repeatedValues(_, let values): values
        default: []
        }
    }
}

extension ProfileStoreError: CustomStringConvertible {
    /// The code and the facts, for logs of developers.
    public var description: String { "ProfileStoreError.\(reason)" }
}

/// The process that holds a store's write lock.
public struct LockHolder: Hashable, Sendable {
    /// The process id in the holder's own PID namespace.
    public let processID: Int32
    /// The name that the holder gave for its work, such as `profiles import`.
    public let command: String

    package init(processID: Int32, command: String) {
        self.processID = processID
        self.command = command
    }
}
