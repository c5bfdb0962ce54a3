internal import Glibc
internal import ProfileStore

// The failures for errors when a store is opened or maintained. The errors of requests are answers, not failures.
extension ServerFailure {
    init(_ error: ProfileStoreError) {
        let path = error.path ?? "the store"
        let detail = error.detail.isEmpty ? "" : ": " + error.detail.joined(separator: "; ")
        switch error.code {
        case .noStore where path.hasPrefix("postgresql://"):
            self.init(
                .noInput, "There is no store at \(path)",
                "Make one with \"profiles init\", or copy one there with \"profiles copy FROM TO\"")
        case .noStore:
            self.init(
                .noInput, "There is no store at \(path)",
                "Make one with \"profiles init --database PATH\", or name another with --database PATH")
        case .brokenLink:
            self.init(
                .noInput, "\(path) is a symbolic link to a file that does not exist",
                "Put the store back where the link points, or name another file with --database PATH")
        case .unreadableAddress:
            self.init(
                .usage, "The address of the database cannot be used",
                "It is a URI such as postgresql://user@host/database, without a password: use PGPASSFILE or PGPASSWORD")
        case .unavailable:
            self.init(
                .unavailable, "No server that keeps the profiles can be reached\(detail)",
                "Start the server, or correct the address in --database or PROFILES_DATABASE")
        case .notDurable:
            self.init(
                .badConfiguration, "A committed write could be lost if one machine fails\(detail)",
                "Correct the server's setting, or add durability=local to the address")
        case .notPermitted: self.init(.notPermitted, "The server does not permit it\(detail)")
        case .busy:
            self.init(
                .tryAgain, "The store is busy" + (error.lockHolder.map { ": \"\($0.command)\" is writing" } ?? ""),
                "Try again")
        case .noThread, .lockDisplaced:
            self.init(.tryAgain, "The store cannot be opened now (\(error.code))", "Try again")
        case .cancelled: self.init(.interrupted, "Interrupted")
        case .closed: self.init(.unavailable, "The store is closed")
        case .notADatabase: self.init(.badInput, "\(path) is not an SQLite database; it is left as it is")
        case .notAStore: self.init(.badInput, "\(path) is a database of another program; it is left as it is")
        case .newerStore:
            self.init(
                .badInput, "\(path) was made by a newer version of profiles; it is left as it is",
                "Use a newer profiles-server")
        case .olderStore:
            self.init(
                .badInput, "\(path) was made by an older version of profiles",
                "Bring it up to date with \"profiles migrate\"")
        case .severalNames:
            self.init(
                .badInput, "\(path) has another name too (a hard link), and so is not safe to use",
                "Remove the other name, which \"find -samefile\" finds, or use a copy")
        case .unfinishedCopy:
            self.init(
                .badInput, "\(path) is an unfinished copy of another store",
                "Continue with the same \"profiles copy FROM TO\"")
        case .displaced:
            self.init(
                .inputOutput, "\(path) was removed or replaced while it was in use; later writes are not in it",
                "Look at the file that is there now, and start again")
        case .notALockFile:
            self.init(.cannotCreate, "\(path) is not a lock file; it is left as it is", "Move it away")
        case .unreadableLog:
            self.init(
                .notPermitted,
                "\(path) has changes in its log, which cannot be read because its folder is not writable",
                "Let the user of the service write in that folder")
        case .cannotOpen where error.systemError == EISDIR:
            self.init(.badInput, "\(path) is a folder, not a store")
        case .cannotOpen where error.systemError == EINVAL:
            self.init(.badInput, "\(path) is not a file, and so not a store")
        case .cannotOpen:
            let code = error.systemError ?? 0
            let isDenied = code == EACCES || code == EPERM || code == EROFS
            self.init(isDenied ? .notPermitted : .cannotCreate, "\(path) cannot be opened: \(Self.systemText(code))")
        case .unreadableSchema: self.init(.badConfiguration, "The store's schema cannot be read")
        case .corrupt, .altered, .alteredMigration:
            self.init(
                .badInput, "The store is damaged or altered\(detail)",
                "Look with \"profiles check\", and restore a backup with \"profiles restore BACKUP\"")
        case .full: self.init(.inputOutput, "There is no space left\(detail)")
        default: self.init(error.kind, error.code, detail)
        }
    }

    private init(_ kind: ProfileStoreError.Kind, _ code: ProfileStoreError.Code, _ detail: String) {
        let status: ExitStatus =
            switch kind {
            case .invalid: .usage
            case .notFound: .noInput
            case .busy: .tryAgain
            case .denied: .notPermitted
            case .unavailable: .unavailable
            case .conflict, .stale, .throttled, .keyReused, .outcomeUnknown: .software
            case .full, .broken: .inputOutput
            }
        self.init(status, "The store cannot be used (\(code))\(detail)")
    }
}
