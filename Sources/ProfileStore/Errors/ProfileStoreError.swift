public import ProfileCore
public import SecretHashing

/// What can go wrong with a store, as a value with its facts; whoever shows it makes the text.
public enum ProfileStoreError: Error, Hashable, Sendable {
    // The answer is no.

    /// No profile has this username.
    case notFound(username: String)
    /// Other profiles have the values of these unique fields.
    case duplicate([FieldName])
    /// The profile has changed since the revision that the edit goes by; nothing was written.
    case staleRevision(expected: Int64, current: Int64)
    /// What an edit would make of the profile breaks the rules.
    case invalid(ValidationFailure)
    /// A query asks for what no profile can have: a field that there is not or that is secret, a value that the field's
    /// type cannot have, a page after one of another order. At least one issue.
    case invalidQuery([ValidationIssue])
    /// The schema that a value was judged by is not in force any more; judge it again.
    case schemaChanged(version: Int)
    /// Another access token has this name.
    case tokenExists(name: String)
    /// A schema cannot be adopted: values of a field that it makes unique are there more than once. Ten at most.
    case repeatedValues(FieldName, [String])
    /// A schema cannot be adopted: the fields of all schemas that the store ever had take more columns than a table has.
    case tooManyColumns(limit: Int)
    /// A schema cannot be adopted: it has another primary key than the one by which the store's profiles are known.
    case otherPrimaryKey(FieldName, inForce: FieldName)

    /// The key of a write was given to another one within the last 24 hours: a repeat must ask for the same.
    case keyReused(WriteKey)

    // Not now.

    /// The call's turn did not come in time. With a holder it waited for that process's write lock. Without one another
    /// program holds SQLite's own lock, or a server that is alive keeps a row, a connection or its answer. After no time
    /// at all: 10,000 changes of this process wait already.
    ///
    /// A long read, such as a search without an index or a check, is also refused so: no thread was free for it within the
    /// wait limit, or 1,000 reads of its kind wait already.
    case busy(holder: LockHolder?, waited: Duration)
    /// The caller's task was cancelled before its turn; nothing was written.
    case cancelled
    /// The repository was closed before.
    case closed
    /// A password could not be hashed.
    case hashing(HashingError)
    /// The system gives no thread for what must not block the others; `code` is `errno`.
    case noThread(code: Int32)
    /// The lock file was removed or replaced while this process held the write lock; nothing was written.
    case lockDisplaced(path: String)

    // The servers.

    /// No server that keeps the profiles can be reached, answers or takes part at the moment; by the words for each.
    /// Nothing was written.
    case unavailable([String])
    /// Nobody can say whether the write was done: the server was lost while it was, and not found again in time. Repeat it
    /// with its ``WriteKey``, or look.
    case outcomeUnknown(String)
    /// The write is stored, but on one machine only: the server stopped to wait for a standby while the write waited for
    /// one. If that machine is lost before a standby follows it again, the write is lost too. A repeat without its
    /// ``WriteKey`` would write a second time; with its key it gets the stored answer once a standby has it.
    case storedOnOneMachine
    /// The server does not let this user in, or at this.
    case notPermitted(String)
    /// What the server commits could be lost with one machine, by its settings; the text says which. Nothing was written.
    case notDurable(String)
    /// What says where the profiles are kept cannot be read, or holds a password, which others can read there.
    case unreadableAddress(String)

    // The file.

    /// There is no file, or one without anything in it.
    case noStore(path: String)
    /// The path is a symbolic link to a file that does not exist, so there is no store, and none is made.
    case brokenLink(path: String, target: String)
    /// The file is no SQLite database; it is left as it is.
    case notADatabase(path: String)
    /// An SQLite database, though not one of ours; it is left as it is.
    case notAStore(path: String)
    /// Made by a later version of this program; it is left as it is.
    case newerStore(path: String, version: Int, known: Int)
    /// Made by an earlier version; migrate it.
    case olderStore(path: String, version: Int, known: Int)
    /// The file has several names (hard links): whoever came by another would write into it past the lock and the log of
    /// this one. Remove the other name, or copy the file.
    case severalNames(path: String)
    /// The file was removed, or another took its place, while the store was open: what was written since is not in it.
    case displaced(path: String)
    /// The store is a copy of another one that was not made to its end; the copying goes on when it is asked for again.
    case unfinishedCopy(path: String)
    /// A copy cannot be made there: the store that is there was used already.
    case notUnused(path: String)
    /// What has the lock file's name, `…-lock`, is none; it is left as it is. Move it away.
    case notALockFile(path: String, LockFileFault)
    /// A migration that was applied differs from the one that this program knows by that name.
    case alteredMigration(name: String)
    /// The file has a table, index, view or trigger that is not as this program makes it. What it says was not run.
    case altered(AlteredObject)
    /// The schema that the store holds cannot be read.
    case unreadableSchema(version: Int, SchemaFailure)
    /// The database is damaged; the text is SQLite's.
    case corrupt(String)
    /// The file, or its file system, may not be written.
    case readOnly(String)
    /// There is no space left; the transaction was rolled back.
    case full(String)
    /// Changes lie in the store's write-ahead log alone, and to read them SQLite wants to write beside it, which is not
    /// permitted. Who may write there need only open the store and close it.
    case unreadableLog(path: String)
    /// A file that was to be made is there already, and is left as it is.
    case alreadyExists(path: String)
    /// A file that was to be made would have the name of one of the store's own, which SQLite makes and removes.
    case reservedName(path: String)
    /// The system refused to open or create this file or folder; `code` is `errno`.
    case cannotOpen(String, code: Int32)
    /// Reading or writing failed; `code` is `errno` where the system gave one.
    case inputOutput(String, code: Int32)
    /// Anything else that the database reports, with its own code for it.
    case database(String, code: Int32)
    /// What keeps the profiles of this repository cannot do this; the text names what was asked for.
    case unsupported(String)
}

/// The process that holds a store's write lock.
public struct LockHolder: Hashable, Sendable {
    /// In the holder's own PID namespace.
    public let processID: Int32
    /// What it says it is doing, such as `profiles import`.
    public let command: String

    package init(processID: Int32, command: String) {
        self.processID = processID
        self.command = command
    }
}

/// Why what has the name of a store's lock file is none.
public enum LockFileFault: Hashable, Sendable {
    /// A directory, a symbolic link, a pipe, a socket, a device.
    case notAFile
    /// It has another name besides (a hard link), under which it may be anything.
    case severalNames
    /// It belongs neither to the store's owner nor to who asks.
    case foreignOwner
    /// It holds what no holder of the lock writes.
    case foreignContent
}

extension ProfileStoreError {
    /// What is wrong with the profile or the query that was given: the issues of ``invalid(_:)`` or ``invalidQuery(_:)``, or
    /// `duplicate` for each field of ``duplicate(_:)``; nil for any other error. A ``ReportedIssue`` tells one in the
    /// schema's words.
    public var issues: [ValidationIssue]? {
        switch self {
        case .invalid(let failure): failure.issues
        case .invalidQuery(let issues): issues
        case .duplicate(let fields): fields.map { ValidationIssue($0, .duplicate(line: nil)) }
        default: nil
        }
    }
}
