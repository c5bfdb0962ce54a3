package import ProfileCore
package import SecretHashing

extension ProfileStoreError {
    /// The reason of an error, with its facts. ``Code`` documents each case.
    package enum Reason: Hashable, Sendable {
        // The request is refused.
        case notFound(username: String)
        case duplicate([FieldName])
        case staleRevision(expected: Int64, current: Int64)
        case invalid(ValidationFailure)
        case invalidQuery([ValidationIssue])
        case schemaChanged(version: Int)
        case tokenExists(name: String)
        case repeatedValues(FieldName, [String])
        case tooManyColumns(limit: Int)
        case otherPrimaryKey(FieldName, inForce: FieldName)
        case beyondHistory
        case keyReused(WriteKey)
        case keyedSecret

        // The request cannot be done now.
        case busy(holder: LockHolder?, waited: Duration)
        case cancelled
        case closed
        case hashing(HashingError)
        case noThread(code: Int32)
        case lockDisplaced(path: String)

        // Servers.
        case unavailable([ServerFault])
        case outcomeUnknown(ServerFault)
        case storedOnOneMachine
        case notPermitted(String)
        case notDurable(DurabilityFault)
        case unreadableAddress(AddressFault)

        // Files.
        case noStore(path: String)
        case brokenLink(path: String, target: String)
        case notADatabase(path: String)
        case notAStore(path: String)
        case newerStore(path: String, version: Int, known: Int)
        case olderStore(path: String, version: Int, known: Int)
        case severalNames(path: String)
        case displaced(path: String)
        case unfinishedCopy(path: String)
        case notUnused(path: String)
        case notALockFile(path: String, LockFileFault)
        case alteredMigration(name: String)
        case altered(AlteredObject)
        case unreadableSchema(version: Int, SchemaFailure)
        case corrupt(StoreDamage)
        case readOnly(String)
        case full(String)
        case unreadableLog(path: String)
        case alreadyExists(path: String)
        case reservedName(path: String)
        case cannotOpen(String, code: Int32)
        case inputOutput(String, code: Int32)
        case database(String, code: Int32)
        case unsupported(UnsupportedOperation)
    }

    // Each function has the name of a reason, so that `throw .notFound(username: name)` works as with an enum.

    package static func notFound(username: String) -> Self { Self(.notFound(username: username)) }
    package static func duplicate(_ fields: [FieldName]) -> Self { Self(.duplicate(fields)) }
    package static func staleRevision(expected: Int64, current: Int64) -> Self {
        Self(.staleRevision(expected: expected, current: current))
    }
    package static func invalid(_ failure: ValidationFailure) -> Self { Self(.invalid(failure)) }
    package static func invalidQuery(_ issues: [ValidationIssue]) -> Self { Self(.invalidQuery(issues)) }
    package static func schemaChanged(version: Int) -> Self { Self(.schemaChanged(version: version)) }
    package static func tokenExists(name: String) -> Self { Self(.tokenExists(name: name)) }
    package static func repeatedValues(_ field: FieldName, _ values: [String]) -> Self {
        Self(.repeatedValues(field, values))
    }
    package static func tooManyColumns(limit: Int) -> Self { Self(.tooManyColumns(limit: limit)) }
    package static func otherPrimaryKey(_ key: FieldName, inForce: FieldName) -> Self {
        Self(.otherPrimaryKey(key, inForce: inForce))
    }
    package static let beyondHistory = Self(.beyondHistory)
    package static func keyReused(_ key: WriteKey) -> Self { Self(.keyReused(key)) }
    package static let keyedSecret = Self(.keyedSecret)
    package static func busy(holder: LockHolder?, waited: Duration) -> Self {
        Self(.busy(holder: holder, waited: waited))
    }
    package static let cancelled = Self(.cancelled)
    package static let closed = Self(.closed)
    package static func hashing(_ error: HashingError) -> Self { Self(.hashing(error)) }
    package static func noThread(code: Int32) -> Self { Self(.noThread(code: code)) }
    package static func lockDisplaced(path: String) -> Self { Self(.lockDisplaced(path: path)) }
    package static func unavailable(_ problems: [ServerFault]) -> Self { Self(.unavailable(problems)) }
    package static func outcomeUnknown(_ problem: ServerFault) -> Self { Self(.outcomeUnknown(problem)) }
    package static let storedOnOneMachine = Self(.storedOnOneMachine)
    package static func notPermitted(_ message: String) -> Self { Self(.notPermitted(message)) }
    package static func notDurable(_ fault: DurabilityFault) -> Self { Self(.notDurable(fault)) }
    package static func unreadableAddress(_ fault: AddressFault) -> Self { Self(.unreadableAddress(fault)) }
    package static func noStore(path: String) -> Self { Self(.noStore(path: path)) }
    package static func brokenLink(path: String, target: String) -> Self {
        Self(.brokenLink(path: path, target: target))
    }
    package static func notADatabase(path: String) -> Self { Self(.notADatabase(path: path)) }
    package static func notAStore(path: String) -> Self { Self(.notAStore(path: path)) }
    package static func newerStore(path: String, version: Int, known: Int) -> Self {
        Self(.newerStore(path: path, version: version, known: known))
    }
    package static func olderStore(path: String, version: Int, known: Int) -> Self {
        Self(.olderStore(path: path, version: version, known: known))
    }
    package static func severalNames(path: String) -> Self { Self(.severalNames(path: path)) }
    package static func displaced(path: String) -> Self { Self(.displaced(path: path)) }
    package static func unfinishedCopy(path: String) -> Self { Self(.unfinishedCopy(path: path)) }
    package static func notUnused(path: String) -> Self { Self(.notUnused(path: path)) }
    package static func notALockFile(path: String, _ fault: LockFileFault) -> Self {
        Self(.notALockFile(path: path, fault))
    }
    package static func alteredMigration(name: String) -> Self { Self(.alteredMigration(name: name)) }
    package static func altered(_ object: AlteredObject) -> Self { Self(.altered(object)) }
    package static func unreadableSchema(version: Int, _ failure: SchemaFailure) -> Self {
        Self(.unreadableSchema(version: version, failure))
    }
    package static func corrupt(_ damage: StoreDamage) -> Self { Self(.corrupt(damage)) }
    package static func readOnly(_ message: String) -> Self { Self(.readOnly(message)) }
    package static func full(_ message: String) -> Self { Self(.full(message)) }
    package static func unreadableLog(path: String) -> Self { Self(.unreadableLog(path: path)) }
    package static func alreadyExists(path: String) -> Self { Self(.alreadyExists(path: path)) }
    package static func reservedName(path: String) -> Self { Self(.reservedName(path: path)) }
    package static func cannotOpen(_ path: String, code: Int32) -> Self { Self(.cannotOpen(path, code: code)) }
    package static func inputOutput(_ message: String, code: Int32) -> Self { Self(.inputOutput(message, code: code)) }
    package static func database(_ message: String, code: Int32) -> Self { Self(.database(message, code: code)) }
    package static func unsupported(_ operation: UnsupportedOperation) -> Self { Self(.unsupported(operation)) }
}
