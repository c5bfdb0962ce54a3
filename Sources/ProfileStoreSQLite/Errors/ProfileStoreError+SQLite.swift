internal import ProfileStore
internal import SQLiteAccess
internal import Threads

// Translates errors of SQLite and the file system into `ProfileStoreError`.
extension ProfileStoreError {
    /// Runs `body` and throws its error as a `ProfileStoreError`.
    static func translating<Value: ~Copyable>(_ body: () throws -> Value) throws(ProfileStoreError) -> Value {
        do { return try body() } catch { throw ProfileStoreError(translating: error) }
    }

    init(translating error: any Error) {
        switch error {
        case let error as ProfileStoreError: self = error
        case let error as SQLiteError: self.init(error)
        case let refusal as WriteRefusal: self.init(refusal)
        case let refusal as ThreadRefusal: self.init(refusal)
        case is CancellationError: self = .cancelled
        // The modules that this module uses throw no errors of other types.
        default: self = .database(String(describing: error), code: 0)
        }
    }

    private init(_ error: SQLiteError) {
        if let problem = error.fileProblem {
            self.init(problem)
            return
        }
        switch error.code {
        case .notADatabase: self = .notADatabase(path: "")
        // SQL that the file itself contains was refused, or a number in the file cannot be increased further.
        case .corrupt, .authorization, .constraintDatatype, .mismatch: self = .corrupt(.reported(error.message))
        case .full: self = .full(error.message)
        case .readOnly: self = .readOnly(error.message)
        case .busy, .locked: self = .busy(holder: nil, waited: error.waited)
        case .interrupt: self = .cancelled
        case .cantOpen, .permission: self = .cannotOpen(error.path ?? error.message, code: error.systemError)
        case .ioError: self = .inputOutput(error.message, code: error.systemError)
        default: self = .database(error.message, code: error.code.rawValue)
        }
    }

    private init(_ refusal: WriteRefusal) {
        switch refusal {
        case .busy(let holder, let waited):
            let named = holder.map { LockHolder(processID: $0.processID, command: $0.command) }
            self = .busy(holder: named, waited: waited)
        case .tooManyWaiting: self = .busy(holder: nil, waited: .zero)
        case .closed: self = .closed
        case .cancelled: self = .cancelled
        case .noThread(let code): self = .noThread(code: code)
        }
    }

    private init(_ problem: FileProblem) {
        switch problem {
        case .severalNames(let path): self = .severalNames(path: path)
        case .displaced(let path): self = .displaced(path: path)
        case .lockDisplaced(let path): self = .lockDisplaced(path: path)
        case .notALock(let path, let fault):
            let fault: LockFileFault =
                switch fault {
                case .notAFile: .notAFile
                case .severalNames: .severalNames
                case .foreignOwner: .foreignOwner
                case .foreignContent: .foreignContent
                }
            self = .notALockFile(path: path, fault)
        }
    }
}
