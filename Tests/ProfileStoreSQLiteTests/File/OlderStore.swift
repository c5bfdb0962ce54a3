import RawSQLite
import ProfileStore
import SQLiteMigrations
import StoreFixtures

@testable import ProfileStoreSQLite

extension TemporaryStore {
    /// Removes what later versions have added, so that the store is as this version would have made it. Changes that
    /// this version could not log are lost.
    func becomeOlder(version: Int) throws {
        let accounts = String(decoding: Migration.sqlite[4].sql, as: UTF8.self)
        let tokens = StoreLayout(version: 7).objects
        let undo = [
            8: """
            DELETE FROM tokens WHERE kind = 'device';
            CREATE TABLE kept AS SELECT * FROM tokens;
            DROP TABLE tokens; \(tokens["tokens"] ?? "");
            INSERT INTO tokens SELECT * FROM kept;
            DROP TABLE kept;
            \(["tokens_profile", "tokens_expiry", "tokens_name"].map { (tokens[$0] ?? "") + ";" }.joined())
            """,
            7: "DROP TABLE history; DROP TABLE history_changes; ALTER TABLE store DROP COLUMN history_time;",
            6: """
            \(accounts)
            INSERT INTO sessions
                SELECT hash, profile_id, name, created_at, last_used_at, idle_time, expires_at, latest_expiry
                FROM tokens WHERE kind = 'session';
            INSERT INTO access_tokens SELECT hash, name, scopes, created_at, expires_at, last_used_at
                FROM tokens WHERE kind = 'access';
            INSERT INTO resets SELECT profile_id, hash, created_at, expires_at FROM tokens WHERE kind = 'reset';
            DROP TABLE tokens;
            CREATE TABLE kept AS SELECT * FROM store;
            DROP TABLE store; \(StoreLayout(version: 5).objects["store"] ?? "");
            INSERT INTO store SELECT only, next_profile_id, change_number, 0, unknown_throttles, unjudged_passwords
                FROM kept;
            DROP TABLE kept;
            """,
            5: "DROP TABLE sessions; DROP TABLE access_tokens; DROP TABLE resets;",
            4: """
            DROP TABLE keyed_writes;
            CREATE TABLE kept AS SELECT number, kind, first_profile_id, last_profile_id, changed_at FROM changes
                WHERE kind <> 'credential_changed';
            DROP TABLE changes; \(StoreLayout(version: 2).objects["changes"] ?? "");
            INSERT INTO changes SELECT * FROM kept; DROP TABLE kept;
            """,
            3: """
            ALTER TABLE store DROP COLUMN unjudged_passwords; ALTER TABLE store DROP COLUMN unknown_throttles;
            """,
            2: "DROP TABLE changes; ALTER TABLE store DROP COLUMN is_welcomed;",
        ]
        let database = try RawDatabase(path)
        for version in (version + 1...Migration.sqlite.count).reversed() { try database.execute(undo[version] ?? "") }
        try database.execute(
            "DELETE FROM migrations WHERE version > \(version); PRAGMA user_version = \(version)")
    }
}
