import GRDB
import RawLookup

/// Looks up random profiles by username in four ways in alternation, also writes them as JSON, and prints the median of
/// each way as a line of JSON.
///
///     Lookups DATABASE COLUMNS [NAMES] [ROUNDS]
///
/// COLUMNS are the columns that the raw loop and GRDB select: the shown columns of `profiles`. Each round looks up
/// every name once.
@main struct Lookups {
    static func main() async throws {
        let arguments = CommandLine.arguments
        guard arguments.count >= 3 else { throw Failure("usage: Lookups DATABASE COLUMNS [NAMES] [ROUNDS]") }
        let (path, columns) = (arguments[1], arguments[2])
        let nameCount = arguments.count > 3 ? Int(arguments[3]) ?? 0 : 20_000
        let rounds = arguments.count > 4 ? Int(arguments[4]) ?? 0 : 7
        guard nameCount > 0, rounds > 0 else { throw Failure("NAMES and ROUNDS are numbers above 0") }

        let sql = "SELECT \(columns) FROM profiles WHERE username = ?"
        let queue = try openGRDB(path)
        let names = try await queue.read { database in
            try String.fetchAll(
                database, sql: "SELECT username FROM profiles ORDER BY random() LIMIT ?", arguments: [nameCount])
        }
        let ours = try await OurLookup(path: path)
        let profiles = try await ours.profiles(names)
        guard let raw = raw_lookup_open(path, sql) else { throw Failure("the raw loop cannot open \(path)") }
        defer { raw_lookup_close(raw) }

        let ways: [(name: String, run: () async throws -> Int)] = [
            ("ours", { try await ours.count(names) }),
            ("json", { OurLookup.write(profiles) }),
            ("raw", { names.count { find($0, with: raw) } }),
            // Each look-up is a separate read, as in a service that looks up one profile. Our look-up works in the same
            // way.
            (
                "grdb_sql",
                {
                    try names.count { name in
                        try queue.read { database in
                            try Record.fetchOne(database.cachedStatement(sql: sql), arguments: [name]) != nil
                        }
                    }
                }
            ),
            (
                "grdb_query",
                {
                    try names.count { name in
                        try queue.read { database in
                            try Record.filter(Column("username") == name).fetchOne(database) != nil
                        }
                    }
                }
            ),
        ]
        var seconds = [[Double]](repeating: [], count: ways.count)
        // The first round only warms the caches.
        for round in 0...rounds {
            for (index, way) in ways.enumerated() {
                let start = ContinuousClock.now
                let found = try await way.run()
                let elapsed = ContinuousClock.now - start
                guard found == names.count else { throw Failure("\(way.name) found \(found) of \(names.count)") }
                if round > 0 { seconds[index].append(elapsed / .seconds(1)) }
            }
        }
        for (way, times) in zip(ways, seconds) {
            let median = times.sorted()[times.count / 2]
            print(#"{"name": "\#(way.name)", "seconds": \#(median / Double(names.count)), "rounds": \#(times.count)}"#)
        }
    }

    private static func find(_ name: String, with raw: OpaquePointer) -> Bool {
        var name = name
        return name.withUTF8 { bytes in
            bytes.withMemoryRebound(to: CChar.self) { raw_lookup_find(raw, $0.baseAddress, Int32($0.count)) == 1 }
        }
    }

    private static func openGRDB(_ path: String) throws -> DatabaseQueue {
        var configuration = Configuration()
        configuration.readonly = true
        return try DatabaseQueue(path: path, configuration: configuration)
    }
}

/// A profile as a program with GRDB would define it: a Codable record.
struct Record: Codable, FetchableRecord, TableRecord {
    static let databaseTableName = "profiles"
    static var databaseSelection: [any SQLSelectable] { CodingKeys.allCases.map { Column($0.rawValue) } }

    var id: Int64
    var revision: Int64
    var createdAt: Int64
    var updatedAt: Int64
    var schemaVersion: Int64
    var username: String
    var phone: String?
    var address: String?
    var postalCode: String?
    var birthday: String?

    enum CodingKeys: String, CodingKey, CaseIterable {
        case id, revision, username, phone, address, birthday
        case createdAt = "created_at"
        case updatedAt = "updated_at"
        case schemaVersion = "schema_version"
        case postalCode = "postal_code"
    }
}

struct Failure: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}
