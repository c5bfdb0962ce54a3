import ProfileTesting
import RawSQLite
import Testing
import Watchdog

/// Stores that an attacker has crafted. Every command refuses them, and none runs their SQL.
@Suite(.watched) struct HostileStoreTests {
    private static let endless = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT"

    /// SQL that an attacker has added to a store, and the object that the error names.
    enum Craft: String, CaseIterable, Sendable {
        case endlessView, endlessTrigger, ignoringTrigger, appendedToIndex, endlessThrottleTrigger

        var sql: String {
            switch self {
            case .endlessView:
                """
                DROP TABLE profiles; CREATE VIEW profiles AS \(endless) i AS id, 1 AS revision, 0 AS created_at,
                0 AS updated_at, 1 AS schema_version, NULL AS issues, 'n' || i AS username, NULL AS phone, NULL AS address,
                NULL AS postal_code, NULL AS birthday, NULL AS password_hash, NULL AS password_schema_version,
                NULL AS password_is_judged, NULL AS passcode_hash FROM n
                """
            case .endlessTrigger:
                "CREATE TRIGGER hang BEFORE INSERT ON profiles BEGIN \(endless) max(i) FROM n; END"
            case .ignoringTrigger:
                "CREATE TRIGGER ignore BEFORE UPDATE ON profiles BEGIN SELECT RAISE(IGNORE); END"
            case .appendedToIndex:
                "UPDATE sqlite_schema SET sql = sql || '; DELETE FROM schemas' WHERE name = 'profiles_phone'"
            case .endlessThrottleTrigger:
                "CREATE TRIGGER hang AFTER INSERT ON throttles BEGIN \(endless) max(i) FROM n; END"
            }
        }

        var object: String {
            switch self {
            case .endlessView: #"view "profiles""#
            case .endlessTrigger, .endlessThrottleTrigger: #"trigger "hang""#
            case .ignoringTrigger: #"trigger "ignore""#
            case .appendedToIndex: #"index "profiles_phone""#
            }
        }
    }

    /// Every command that opens a store, with the lines that it reads.
    private static let commands: [(words: [String], input: String)] = [
        (["register", "--username", "bert", "--phone", "78761241", "--address", "x", "--password-stdin"], "aK8oio\n"),
        (["edit", "abel", "--address", "elsewhere"], ""),
        (["remove", "abel", "--yes"], ""),
        (["lookup", "abel"], ""),
        (["lookup", "--invalid"], ""),
        (["list"], ""),
        (["watch", "--since", "0"], ""),
        (["import", "rows.csv"], ""),
        (["import", "rows.csv", "--dry-run"], ""),
        (["import", "rows.csv", "--exclusive"], ""),
        (["import", "rows.csv", "--on-duplicate", "update"], ""),
        (["export"], ""),
        (["export", "--as", "ndjson", "--include-hashes"], ""),
        (["export", "--where", "phone=7", "--sort", "address"], ""),
        (["summary"], ""),
        (["duplicates"], ""),
        (["diff", "rows.csv"], ""),
        (["diff", "rows.csv", "store.sqlite"], ""),
        (["passcode", "create", "abel", "--stdin"], "parislondon\nparislondon\n"),
        (["passcode", "validate", "abel", "--stdin"], "parislondon\n"),
        (["passcode", "edit", "abel", "--stdin"], "parislondon\nmarsvenus1\nmarsvenus1\n"),
        (["passcode", "remove", "abel", "--yes"], ""),
        (["login", "abel", "--password-stdin"], "aK8oio\n"),
        (["unlock", "abel"], ""),
        (["schema", "show"], ""),
        (["schema", "diff", "schema.json"], ""),
        (["schema", "adopt", "schema.json"], ""),
        (["revalidate"], ""),
        (["revalidate", "--all"], ""),
        (["check"], ""),
        (["backup", "copy.sqlite"], ""),
        (["migrate"], ""),
        (["init"], ""),
    ]

    @Test(arguments: Craft.allCases)
    func `every command refuses a store with foreign SQL, names the object, and ends`(craft: Craft) throws {
        let place = try Workplace()
        try place.register("abel")
        try place.write("username,phone,address,password_hash\n", to: "rows.csv")
        try place.write(try place.profiles("schema", "show", "--format", "json").output, to: "schema.json")
        let store = try RawDatabase("\(place.folder)/store.sqlite")
        try store.execute(craft.sql)
        let content = "SELECT group_concat(type || name || coalesce(sql, ''), ';') FROM sqlite_schema"
        let before = try store.rows(content) + store.rows("SELECT * FROM schemas")
        // In long runs, every command is tried on each store. Otherwise, each command is tried on one store.
        let first = try #require(Craft.allCases.firstIndex(of: craft))
        for (words, input) in Length.some(Self.commands, oneIn: Craft.allCases.count, from: first) {
            let outcome = try place.bounded(words, input: input)
            #expect(outcome.status == 65, "\(words): \(outcome)")
            #expect(outcome.error.contains(craft.object), "\(words): \(outcome.error)")
            #expect(outcome.error.contains("profiles restore BACKUP"), "\(words)")
            // The error advises to remove a trigger, because the user may have added it. It never advises to remove the
            // view `profiles`.
            if craft != .appendedToIndex {
                let mayRemove = outcome.error.contains("Remove the trigger if you added it")
                #expect(mayRemove == (craft != .endlessView), "\(words): \(outcome.error)")
            }
        }
        #expect(try store.rows(content) + store.rows("SELECT * FROM schemas") == before)
        #expect(!place.exists("copy.sqlite"))
    }

    @Test func `a name with control characters is shown without them`() throws {
        let place = try Workplace()
        try place.register("abel")
        try RawDatabase("\(place.folder)/store.sqlite").execute("CREATE VIEW \"\u{1B}]0;owned\u{7}\" AS SELECT 1")
        let outcome = try place.bounded(["list"], input: "")
        #expect(outcome.status == 65)
        #expect(outcome.error.contains("owned") && !outcome.error.contains("\u{1B}"), "\(outcome.error)")
    }
}

extension Workplace {
    /// Runs `profiles` as ``profiles(_:input:environment:)`` does, and kills it after a minute.
    fileprivate func bounded(_ words: [String], input: String) throws -> Outcome {
        try run(["/usr/bin/timeout", "--signal=KILL", "60", try Self.binary()] + words, input: input, environment: [:])
    }
}
