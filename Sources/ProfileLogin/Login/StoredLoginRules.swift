import ProfileCore
import SQLiteAccess

/// Which checks a login to a store gets: those of the rules in force, and of a password only where these have judged
/// every password of the store, so that a newer rule locks nobody out (L1).
struct StoredLoginRules: Sendable {
    private let repository: ProfileRepository

    init(_ repository: ProfileRepository) { self.repository = repository }

    func checks() throws(ProfileStoreError) -> LoginChecks {
        try repository.read { connection throws(ProfileStoreError) in try checks(connection) }
    }

    /// However many profiles there are, this looks at a row or two.
    func checks(_ connection: borrowing Connection) throws(ProfileStoreError) -> LoginChecks {
        // Of one moment: who adopts other rules counts anew in the same commit.
        try connection.readTransaction { () throws(ProfileStoreError) in
            let adopted = try repository.schemaInForce(connection)
            let areUnjudged = try ProfileStoreError.wrap { () throws(SQLiteError) in
                try StoreTable.count(.unjudgedPasswords, connection) > 0
            }
            return LoginChecks(adopted.schema, judgesPasswords: !areUnjudged)
        }
    }
}
