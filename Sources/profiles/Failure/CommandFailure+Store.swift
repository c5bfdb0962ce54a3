internal import Glibc
internal import ProfileCore
internal import ProfileStore

// What a store answers instead of doing what it was asked.
extension CommandFailure {
    init(_ error: ProfileStoreError) {
        switch error {
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
        case .schemaChanged(let version):
            self.init(.tryAgain, "The rules have changed meanwhile (schema version \(version)); try again")
        case .tooManyColumns(let limit):
            self.init(
                .badConfiguration,
                "The schema is not adopted: with the fields of those before it the table has more than \(limit) columns",
                "Use names that the store had before, or export the profiles and import them into a new store")
        case .repeatedValues(let field, let values):
            self.init(
                .no, "The schema is not adopted: \(field) becomes unique, and these values are there more than once",
                values.joined(separator: ", "))
        case .busy(let holder, let waited):
            let name = holder.map { "\"\($0.command)\" (process \($0.processID))" } ?? "another process"
            self.init(
                .tryAgain,
                "The store is busy: \(name) is writing, and did not end within \(waited.components.seconds) s",
                "Try again, or wait longer with --wait SECONDS")
        case .cancelled: self.init(.interrupted, "Interrupted; nothing was written")
        case .closed: self.init(.unavailable, "The store is closed")
        case .hashing(let error): self.init(error)
        case .noStore(let path):
            self.init(
                .noInput, "There is no store at \(path)",
                "Make one with \"profiles init\", \"profiles register\" or \"profiles import\"",
                "Or name another with --database PATH")
        case .notADatabase(let path):
            let name = path.isEmpty ? "The store" : path
            self.init(.badInput, "\(name) is not an SQLite database; it is left as it is")
        case .notAStore(let path):
            self.init(.badInput, "\(path) is a database of another program; it is left as it is")
        case .newerStore(let path, let version, let known):
            self.init(
                .badInput,
                "\(path) is of version \(version), and this program knows \(known) at most; it is left as it is",
                "Use the newer version of profiles that made it")
        case .olderStore(let path, let version, let known):
            self.init(
                .badInput, "\(path) is of version \(version), and this program needs \(known)",
                "Bring it up to date with \"profiles migrate\"")
        case .alteredMigration(let name):
            self.init(.badInput, "The store was made by another text of the migration \(name) than this program has")
        case .unreadableSchema(let version, let error):
            self.init(.badConfiguration, "The store's schema, version \(version), cannot be read: \(error)")
        case .corrupt(let message):
            self.init(
                .badInput, "The store is damaged: \(message)", "Look with \"profiles check\", and restore a backup")
        case .readOnly(let message): self.init(.notPermitted, "The store may not be written: \(message)")
        case .full(let message): self.init(.inputOutput, "There is no space left: \(message)")
        case .alreadyExists(let path): self.init(.cannotCreate, "\(path) is there already; it is left as it is")
        case .cannotOpen(let place, let code):
            let isForbidden = code == EACCES || code == EPERM || code == EROFS
            self.init(
                isForbidden ? .notPermitted : .cannotCreate, "\(place) cannot be opened: \(Self.systemText(code))")
        case .inputOutput(let message, let code):
            self.init(.inputOutput, "Reading or writing the store failed: \(message) (\(Self.systemText(code)))")
        case .database(let message, let code):
            self.init(.inputOutput, "SQLite reports \(message) (code \(code))")
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
            self.init(.unavailable, "The system's libcrypt does not check \(scheme.rawValue)")
        }
    }
}
