internal import PostgresAccess
internal import ProfileCore
internal import ProfileStore

/// The tables `schemas` and `store`: every adopted schema, and the version of the schema in force.
enum SchemaTable {
    static let selectVersion = "SELECT schema_version FROM store"
    static let selectState = "SELECT schema_version, is_loading FROM store WHERE id = 1"
    /// Selects the same columns as `selectState`, and locks the row in shared mode. A transaction that writes profiles
    /// uses this command. No other rules come into force until that transaction ends.
    static let share = selectState + " FOR SHARE"
    /// Returns a command that locks the row of `store` in shared mode. The command fails with a division by zero if
    /// `version` is not in force or a bulk load is running. The command must come before every other command that uses
    /// the table `profiles`. The reason: a transaction that puts rules in force locks first `store` and then
    /// `profiles`.
    static func share(being version: Int) -> Command {
        Command(
            "SELECT 1 / count(*) FROM (\(selectState) AND schema_version = $1 AND NOT is_loading FOR SHARE) AS state",
            [.number(Int64(version))])
    }
    /// Selects the same columns as `selectState`, and locks the row exclusively. A transaction that puts other rules in
    /// force uses this command.
    static let hold = selectState + " FOR UPDATE"

    private static let selection = "SELECT version, fingerprint, document, adopted_at FROM schemas"
    static let selectInForce = selection + " WHERE version = (SELECT schema_version FROM store)"
    static let selectAll = selection + " ORDER BY version"

    static func inForce(_ connection: Connection) async throws -> RulesInForce {
        try rules(in: try await connection.run(selectInForce))
    }

    static func inForce(_ transaction: Transaction) async throws -> RulesInForce {
        try rules(in: try await transaction.run(selectInForce))
    }

    private static func rules(in rows: Rows) throws(ProfileStoreError) -> RulesInForce {
        guard let latest = try schemas(in: rows).last else { throw .corrupt(.noSchema) }
        return RulesInForce(latest)
    }

    static func schemas(in rows: Rows) throws(ProfileStoreError) -> [AdoptedSchema] {
        var schemas: [AdoptedSchema] = []
        for row in 0..<rows.count {
            let version = Int(rows.number(row, 0) ?? 0)
            do throws(SchemaFailure) {
                schemas.append(
                    AdoptedSchema(
                        version: version, fingerprint: rows.text(row, 1) ?? "", adoptedAt: rows.time(row, 3),
                        schema: try ProfileSchema(parsingStored: rows.text(row, 2) ?? "")))
            } catch {
                throw .unreadableSchema(version: version, error)
            }
        }
        return schemas
    }

    /// Stores a schema as this version and puts it in force.
    static func putInForce(_ schema: ProfileSchema, as version: Int, at time: Timestamp) -> [Command] {
        [
            Command(
                "INSERT INTO schemas (version, name, fingerprint, document, adopted_at) VALUES ($1, $2, $3, $4, $5)",
                [
                    .number(Int64(version)), .text(schema.name), .text(schema.fingerprint),
                    .text(schema.storedDocument),
                    .number(time.millisecondsSince1970),
                ]),
            Command("UPDATE store SET schema_version = $1", [.number(Int64(version))]),
        ]
    }

    /// Returns the quoted names of all columns of the table `profiles`, including dropped columns.
    static func columns(_ connection: Connection) async throws -> Set<String> {
        columns(in: try await connection.run(selectColumns))
    }

    static func columns(_ transaction: Transaction) async throws -> Set<String> {
        columns(in: try await transaction.run(selectColumns))
    }

    private static func columns(in rows: Rows) -> Set<String> {
        Set((0..<rows.count).compactMap { rows.text($0, 0) }.map { "\"\($0)\"" })
    }

    private static let selectColumns =
        "SELECT attname::text FROM pg_attribute WHERE attrelid = 'profiles'::regclass AND attnum > 0"

    /// Returns the names of a schema's indexes.
    static func indexNames(_ schema: ProfileSchema) -> Set<String> {
        Set(ProfileTable.indexes(of: schema).map { ProfileTable.indexName($0.field.column, isUnique: $0.isUnique) })
    }

    /// An existing index of a field.
    struct Index {
        let name: String
        let isValid: Bool
        /// Whether a session is creating the index. If the index is not valid and no session is creating it, its
        /// creation failed or was interrupted.
        let isBeingBuilt: Bool
    }

    static func indexes(_ connection: Connection) async throws -> [Index] {
        indexes(in: try await connection.run(selectIndexes))
    }

    static func indexes(_ transaction: Transaction) async throws -> [Index] {
        indexes(in: try await transaction.run(selectIndexes))
    }

    private static func indexes(in rows: Rows) -> [Index] {
        (0..<rows.count).compactMap { row in
            rows.text(row, 0).map { Index(name: $0, isValid: rows.flag(row, 1), isBeingBuilt: rows.flag(row, 2)) }
        }
    }

    private static let selectIndexes = """
        SELECT index_class.relname::text, pg_index.indisvalid,
            EXISTS (SELECT 1 FROM pg_stat_progress_create_index WHERE index_relid = pg_index.indexrelid)
        FROM pg_index
        JOIN pg_class AS index_class ON index_class.oid = pg_index.indexrelid
        WHERE pg_index.indrelid = 'profiles'::regclass
        AND (index_class.relname LIKE 'profiles\\_unique\\_%' OR index_class.relname LIKE 'profiles\\_index\\_%')
        """
}
