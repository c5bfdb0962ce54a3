internal import Platform
internal import ProfileCore
internal import ProfileStore
internal import SecretHashing

// The failures for errors of a store.
extension CommandFailure {
    init(_ error: ProfileStoreError) {
        switch error.reason {
        case .notFound(let username):
            self.init(.no, "There is no profile \"\(username)\"")
        case .duplicate(let fields):
            let names = fields.map(\.text).joined(separator: ", ")
            self.init(.no, "Another profile has the same \(names.isEmpty ? "value of a unique field" : names)")
        case .staleRevision(let expected, let current):
            self.init(
                .no, "The profile has changed: its revision is \(current), not \(expected); nothing was written",
                "Look it up, and edit it with --if-revision \(current)")
        case .invalid(let failure):
            let messages = failure.issues.map { $0.message(label: $0.field?.text ?? "The row") }
            self.init(.no, lines: ["The profile is not valid"] + messages)
        case .invalidQuery(let issues):
            self.init(.usage, lines: issues.map { $0.message(label: $0.field?.text ?? "The query") })
        case .schemaChanged(let version):
            self.init(.tryAgain, "The rules have changed meanwhile (schema version \(version)); try again")
        case .tooManyColumns(let limit):
            self.init(
                .badConfiguration,
                "The schema is not adopted: with the fields of earlier schemas the table has more than \(limit) columns",
                "Use field names of earlier schemas, or export the profiles and import them into a new store")
        case .otherPrimaryKey(let key, let inForce):
            self.init(
                .no,
                "The schema is not adopted: its primary key is \(key), but that of the store's profiles is \(inForce)",
                "Name the same primary key, or export the profiles and import them into a new store")
        case .tokenExists(let name):
            self.init(
                .no, "There is an access token \"\(name)\" already",
                "Use another name, or revoke it with \"profiles token revoke\"")
        case .repeatedValues(let field, let values):
            self.init(
                .no, "The schema is not adopted: \(field) becomes unique, and these values occur more than once",
                values.joined(separator: ", "))
        case .beyondHistory:
            self.init(.no, "The history does not reach back that far")
        case .keyReused(let key):
            self.init(
                .no, "The key \"\(key)\" was given to another write within the last 24 hours; nothing was written",
                "Use a different key for each write")
        case .keyedSecret:
            self.init(.no, "A write that sets a password cannot have a key; nothing was written")
        case .busy(let holder, let waited):
            let tenths = Int((waited / .milliseconds(100)).rounded())
            let seconds = tenths % 10 == 0 ? "\(tenths / 10)" : "\(tenths / 10).\(tenths % 10)"
            // If the command did not wait, the message names no time.
            let time = tenths == 0 ? "in time" : "within \(seconds) s"
            guard let holder else {
                self.init(
                    .tryAgain, "The store is busy: there was no answer \(time)",
                    "Another program is writing, or the server does not respond",
                    "Try again, or wait longer with --wait SECONDS")
                return
            }
            self.init(
                .tryAgain,
                "The store is busy: \"\(holder.command)\" (process \(holder.processID)) is writing, "
                    + "and did not end \(time)",
                "Try again, or wait longer with --wait SECONDS")
        case .cancelled: self.init(.interrupted, "Interrupted; nothing was written")
        case .closed: self.init(.unavailable, "The store is closed")
        case .hashing(let error): self.init(error)
        case .noThread(let code):
            self.init(.tryAgain, "No thread could be started for the store; try again: \(Self.systemText(code))")
        case .lockDisplaced(let path):
            self.init(
                .tryAgain, "\(path) was removed or replaced while it was needed; nothing was written",
                "Try again, and leave that file alone: it keeps two programs from writing at once")
        case .unavailable(let problems):
            self.init(
                .unavailable,
                lines: ["No server that keeps the profiles can be reached; nothing was written"]
                    + problems.map(Self.text))
        case .outcomeUnknown(let problem):
            self.init(
                .outcomeUnknown,
                "The server was lost during a write, and it is not known whether the write was stored: "
                    + Self.text(problem),
                "Look up the result before you repeat the command")
        case .storedOnOneMachine:
            self.init(
                .inputOutput, "The write was stored, but on one machine only: the server stopped waiting for a standby",
                "Do not repeat it. Make sure that a standby follows that machine; until then it has the only copy")
        case .notPermitted(let words): self.init(.notPermitted, "The server does not permit it: \(words)")
        case .notDurable(let fault):
            self.init(
                .badConfiguration, "A committed write could be lost if one machine fails: \(Self.text(fault))",
                "Correct the server's setting, or add durability=local to the address")
        case .unreadableAddress(let fault):
            let text = Self.text(fault)
            self.init(.usage, "The address of the database cannot be used" + (text.isEmpty ? "" : ": \(text)"))
        case .noStore(let path) where path.hasPrefix("postgresql://"):
            self.init(
                .noInput, "There is no store at \(path)",
                "Make one with \"profiles init\", or copy one there with \"profiles copy FROM TO\"",
                "Or name another with --database")
        case .noStore(let path):
            self.init(
                .noInput, "There is no store at \(path)",
                "Make one with \"profiles init\", \"profiles register\" or \"profiles import\"",
                "Or name another with --database PATH")
        case .brokenLink(let path, let target):
            self.init(
                .noInput, "\(path) is a symbolic link to \(target), which does not exist",
                "Put the store back where the link points, remove the link, or name another file with --database PATH")
        case .notADatabase(let path):
            let name = path.isEmpty ? "The store" : path
            self.init(.badInput, "\(name) is not an SQLite database; it is left as it is")
        case .notAStore(let path):
            self.init(.badInput, "\(path) is a database of another program; it is left as it is")
        case .newerStore(let path, let version, let known):
            self.init(
                .badInput,
                "\(path) has version \(version), and this program knows versions up to \(known); it is left as it is",
                "Use the newer version of profiles that made it")
        case .olderStore(let path, let version, let known):
            self.init(
                .badInput, "\(path) has version \(version), and this program needs version \(known)",
                "Bring it up to date with \"profiles migrate --database STORE\"")
        case .severalNames(let path):
            self.init(
                .badInput, "\(path) has another name too (a hard link), and so is not safe to use",
                "Remove the other name, which \"find -samefile\" finds, or use a copy")
        case .displaced(let path):
            self.init(
                .inputOutput,
                "\(path) was removed or replaced while it was in use; later writes are not in it",
                "Look at the file that is there now, and repeat the writes that are missing")
        case .unfinishedCopy(let path):
            self.init(
                .badInput, "\(path) is an unfinished copy of another store",
                "Continue with the same \"profiles copy FROM TO\", or start again with --restart")
        case .notUnused(let path):
            self.init(
                .cannotCreate,
                "\(path) is a store that was used already: it has profiles, access tokens or rules of its own; "
                    + "it is left as it is",
                "Copy to a file or a database without a store")
        case .notALockFile(let path, let fault):
            self.init(
                .cannotCreate, "\(path) is not a lock file: \(Self.text(fault)); it is left as it is",
                "Move it away, because the store needs that name, or name another store with --database PATH")
        case .alteredMigration(let name):
            self.init(.badInput, "The migration \(name) of the store differs from the one in this program")
        case .altered(let object):
            let what = "\(object.type) \"\(object.name)\""
            let text =
                switch object.difference {
                case .foreign: "The store has a \(what) that this program did not create"
                case .changed: "The store's \(what) differs from the one that this program created"
                case .missing: "The store's \(what) is missing"
                }
            let restoring = "restore a backup with \"profiles restore BACKUP\""
            self.init(
                .badInput, "\(text); no code in the store was run",
                object.difference == .foreign
                    ? "Remove the \(object.type) if you added it; otherwise \(restoring)"
                    : "To repair it, \(restoring)")
        case .unreadableSchema(let version, let error):
            self.init(.badConfiguration, "The store's schema, version \(version), cannot be read: \(error)")
        case .corrupt(let damage):
            self.init(
                .badInput, "The store is damaged: \(Self.text(damage))",
                "Look with \"profiles check\", and restore a backup with \"profiles restore BACKUP\"")
        case .readOnly(let message):
            self.init(
                .notPermitted, "The store cannot be written: \(message)",
                "Ask its owner, or name another store with --database PATH")
        case .full(let message): self.init(.inputOutput, "There is no space left: \(message)")
        case .alreadyExists(let path): self.init(.cannotCreate, "\(path) is there already; it is left as it is")
        case .reservedName(let path):
            self.init(.cannotCreate, "\(path) is the name of a file of the store itself; name another file")
        case .unreadableLog(let path):
            self.init(
                .notPermitted,
                "\(path) has changes in its log, which cannot be read because its folder is not writable",
                "Ask a user who may write there to open it once, for example with \"profiles list\"",
                "Or copy \(path) and \(path)-wal into a folder of yours, and name the copy with --database PATH")
        case .cannotOpen(let place, let code): self = .cannotOpen(place, code)
        case .inputOutput(let message, let code):
            self.init(.inputOutput, "Reading or writing the store failed: \(message) (\(Self.systemText(code)))")
        case .database(let message, let code):
            self.init(.inputOutput, "The database reports \(message)" + (code == 0 ? "" : " (code \(code))"))
        case .unsupported(let operation):
            self.init(.unavailable, "A store of this kind does not support \(Self.text(operation))")
        }
    }

    private static func cannotOpen(_ place: String, _ code: Int32) -> CommandFailure {
        if code == EISDIR { return CommandFailure(.badInput, "\(place) is a folder, not a store") }
        if code == EINVAL { return CommandFailure(.badInput, "\(place) is not a file, and so not a store") }
        let reason = systemText(code)
        guard code == EACCES || code == EPERM || code == EROFS else {
            return CommandFailure(.cannotCreate, "\(place) cannot be opened: \(reason)")
        }
        // There is no file at this path, so the command tried to create a store.
        if access(place, F_OK) != 0, errno == ENOENT {
            return CommandFailure(
                .notPermitted, "\(place) cannot be created, because its folder is not writable: \(reason)",
                "Name a store in a folder of yours with --database PATH")
        }
        return CommandFailure(
            .notPermitted, "\(place) cannot be opened: \(reason)",
            "Ask its owner, or name another store with --database PATH")
    }

    static func text(_ damage: StoreDamage) -> String {
        switch damage {
        case .reported(let message): message
        case .danglingRow(let table): "a row of \(table) refers to one that is missing"
        case .noSchema: "the store holds no schema"
        case .slowSchema: "reading its schema takes too long"
        case .missingProfile: "a profile just written is missing"
        case .changedProfile: "a profile changed within one transaction"
        case .outOfOrder(let id, let last): "profile \(id) comes after profile \(last)"
        case .uncounted(let name): "\(name) has a value that counting cannot have reached"
        case .uncountable(let name, let number): "\(name) is \(number), the greatest possible number"
        case .unreadableHistory: "an entry of the history cannot be read"
        case .unreadableOutcome: "the outcome of a keyed write cannot be read"
        case .foreignOutcome: "the outcome of a keyed write belongs to another write"
        }
    }

    private static func text(_ fault: ServerFault) -> String {
        switch fault {
        case .reported(let message): message
        case .noAnswer(let server): "\(server): no answer in time"
        case .notCommitted: "the connection was lost, and nothing was written"
        case .onOneMachine: "no other machine has it"
        }
    }

    private static func text(_ fault: DurabilityFault) -> String {
        switch fault {
        case .settings(let names, let value): names.map { "\($0) is \(value)" }.joined(separator: ", ")
        case .noStandby: "commits wait for no standby"
        }
    }

    private static func text(_ fault: AddressFault) -> String {
        switch fault {
        case .reported(let message): message
        case .holdsPassword: "it holds a password, which others can read; use PGPASSFILE or PGPASSWORD"
        case .schemaIgnored:
            "the server did not receive its schema; a connection pooler may ignore startup options; "
                + "use the address of the server itself"
        case .sharedSession:
            "a connection pooler gives each transaction another session, as PgBouncer does with "
                + "pool_mode=transaction; use pool_mode=session, or the address of the server itself"
        }
    }

    private static func text(_ operation: UnsupportedOperation) -> String {
        switch operation {
        case .operation(let name): name
        case .encoding(let name): "encodings other than UTF8; this database has \(name)"
        case .nullCharacter: "text with U+0000"
        }
    }

    private static func text(_ fault: LockFileFault) -> String {
        switch fault {
        case .notAFile: "it is not a file"
        case .severalNames: "it has another name too (a hard link)"
        case .foreignOwner: "it does not belong to the store's owner"
        case .foreignContent: "it has other contents"
        }
    }

    init(_ error: HashingError) {
        switch error {
        case .busy: self.init(.tryAgain, "Too many secrets are being hashed; try again")
        case .cancelled: self.init(.interrupted, "Interrupted; nothing was written")
        case .outOfMemory: self.init(.tryAgain, "There was no memory to hash the secret with; try again")
        case .noThread(let code):
            self.init(.tryAgain, "No thread could be started to hash on; try again: \(Self.systemText(code))")
        case .unavailable: self.init(.unavailable, "libsodium could not be started")
        case .unverifiable(let scheme):
            self.init(.unavailable, "The system's libcrypt does not support \(scheme.rawValue)")
        }
    }
}
