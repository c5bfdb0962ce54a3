import ProfileCore
import SQLiteAccess
import Synchronization

/// Which checks a login to a store gets: those of the rules in force, and of a password only where these have judged
/// every password of the store, so that a newer rule locks nobody out (L1).
final class StoredLoginRules: Sendable {
    private let repository: ProfileRepository
    private let memory = Mutex<Memory?>(nil)

    /// What need not be looked up at every login.
    fileprivate struct Memory {
        /// The schema in force when this was found out.
        let version: Int
        /// Schemas of the past that had other rules for passwords.
        let otherVersions: [Int]
        /// No profile before this id has a password that was set under one of these, and none ever will while
        /// this schema is in force. Nil when there is no such profile at all.
        var firstPredating: Int64?
        /// Whether there were brought hashes, at this change number of the store.
        var brought: (changeNumber: Int64, areThere: Bool)?
    }

    init(_ repository: ProfileRepository) { self.repository = repository }

    func checks() throws(ProfileStoreError) -> LoginChecks {
        try repository.read { connection throws(ProfileStoreError) in
            let adopted = try repository.schemaInForce(connection)
            guard adopted.schema.hasPassword else { return LoginChecks(adopted.schema) }
            var memory: Memory
            if let known = self.memory.withLock(\.self), known.version == adopted.version {
                memory = known
            } else {
                memory = try Memory(of: adopted, connection)
            }
            let areUnjudged = try ProfileStoreError.wrap { () throws(SQLiteError) -> Bool in
                if try memory.findPredating(connection) { return true }
                return try memory.findBrought(connection)
            }
            self.memory.withLock { $0 = memory }
            return LoginChecks(adopted.schema, judgesPasswords: !areUnjudged)
        }
    }
}

extension StoredLoginRules.Memory {
    fileprivate init(of adopted: AdoptedSchema, _ connection: borrowing Connection) throws(ProfileStoreError) {
        let rules = adopted.schema[.password]
        version = adopted.version
        otherVersions = try SchemaTable.all(connection).filter { $0.schema[.password] != rules }.map(\.version)
        firstPredating = otherVersions.isEmpty ? nil : 0
    }

    /// Whether a password was set under other rules.
    fileprivate mutating func findPredating(_ connection: borrowing Connection) throws(SQLiteError) -> Bool {
        guard let first = firstPredating else { return false }
        var statement = try connection.prepare(ProfileTable.selectFirstPassword(of: otherVersions))
        try statement.bind(first, at: 1)
        firstPredating = try statement.step() ? statement.integer(at: 0) : nil
        return firstPredating != nil
    }

    /// Whether a password came as a hash: every profile is looked at once, and then those alone that have changed.
    fileprivate mutating func findBrought(_ connection: borrowing Connection) throws(SQLiteError) -> Bool {
        let changeNumber = try StoreTable.changeNumber(connection)
        if let brought, brought.changeNumber == changeNumber { return brought.areThere }
        var ranges = [0...Int64.max]
        if let brought, !brought.areThere {
            let changes = try ChangeTable.changes(after: brought.changeNumber, limit: Self.mostChanges, connection)
            if changes.last?.number == changeNumber, !changes.contains(where: { $0.kind == .missed }) {
                ranges = changes.compactMap(\.profileIDs)
            }
        }
        var areThere = false
        for range in ranges where !areThere {
            var statement = try connection.prepare(ProfileTable.existsBroughtPassword)
            try statement.bind(range.lowerBound, at: 1)
            try statement.bind(range.upperBound, at: 2)
            areThere = try statement.step() && statement.integer(at: 0) != 0
        }
        brought = (changeNumber, areThere)
        return areThere
    }

    /// Past so many changes all profiles are looked at again.
    private static let mostChanges = 256
}

extension ProfileRepository {
    /// The rules in force, read again where another process has adopted others.
    fileprivate func schemaInForce(_ connection: borrowing Connection) throws(ProfileStoreError) -> AdoptedSchema {
        let known = adoptedSchema
        let version = try ProfileStoreError.wrap { () throws(SQLiteError) in
            try SchemaTable.versionInForce(connection)
        }
        return try known.version == version ? known : refreshSchema(connection)
    }
}
