internal import PostgresAccess
internal import ProfileCore
internal import ProfileStore

/// The tables `schemas` and `store`: every schema that was adopted, and which one is in force.
enum SchemaTable {
    static let selectVersion = "SELECT schema_version FROM store"
    static let selectState = "SELECT schema_version, is_loading FROM store WHERE id = 1"
    /// The same for a transaction that writes profiles: no other rules come into force until it has ended.
    static let share = selectState + " FOR SHARE"
    /// The same, which fails with a division by zero unless this version is in force and no bulk load goes on. A command
    /// that needs the table of profiles comes after it, since who puts rules in force takes both in this order.
    static func share(being version: Int) -> Command {
        Command(
            "SELECT 1 / count(*) FROM (\(selectState) AND schema_version = $1 AND NOT is_loading FOR SHARE) AS state",
            [.number(Int64(version))])
    }
    /// The same for one that puts other rules in force.
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
                        schema: try ProfileSchema(parsing: rows.text(row, 2) ?? "")))
            } catch {
                throw .unreadableSchema(version: version, error)
            }
        }
        return schemas
    }

    /// Keeps a schema as this version and puts it in force.
    static func putInForce(_ schema: ProfileSchema, as version: Int, at time: Timestamp) -> [Command] {
        [
            Command(
                "INSERT INTO schemas (version, name, fingerprint, document, adopted_at) VALUES ($1, $2, $3, $4, $5)",
                [
                    .number(Int64(version)), .text(schema.name), .text(schema.fingerprint), .text(schema.document()),
                    .number(time.millisecondsSince1970),
                ]),
            Command("UPDATE store SET schema_version = $1", [.number(Int64(version))]),
        ]
    }

    /// The unique fields that have an index of their own; the primary key's was there before any schema.
    static func uniqueFields(_ schema: ProfileSchema) -> [FieldName] {
        schema.fields.filter { $0.isUnique && !$0.isPrimaryKey }.map(\.column)
    }

    /// The fields that have an index for look-ups alone.
    static func indexedFields(_ schema: ProfileSchema) -> [FieldName] {
        schema.fields.filter { $0.isIndexed && !$0.isUnique && !$0.isPrimaryKey }.map(\.column)
    }

    /// The columns that the table `profiles` has or had, quoted.
    static func columns(_ connection: Connection) async throws -> Set<String> {
        let rows = try await connection.run(
            "SELECT attname::text FROM pg_attribute WHERE attrelid = 'profiles'::regclass AND attnum > 0")
        return Set((0..<rows.count).compactMap { rows.text($0, 0) }.map { "\"\($0)\"" })
    }

    /// The names of the indexes that a schema has.
    static func indexNames(_ schema: ProfileSchema) -> Set<String> {
        Set(
            uniqueFields(schema).map { ProfileTable.indexName($0, isUnique: true) }
                + indexedFields(schema).map { ProfileTable.indexName($0, isUnique: false) })
    }

    /// The indexes of fields that are there, whether each is fit for use, and whether somebody is making it: one that is
    /// neither was broken off.
    static let selectIndexes = """
        SELECT index_class.relname::text, pg_index.indisvalid,
            EXISTS (SELECT 1 FROM pg_stat_progress_create_index WHERE index_relid = pg_index.indexrelid)
        FROM pg_index
        JOIN pg_class AS index_class ON index_class.oid = pg_index.indexrelid
        WHERE pg_index.indrelid = 'profiles'::regclass
        AND (index_class.relname LIKE 'profiles\\_unique\\_%' OR index_class.relname LIKE 'profiles\\_index\\_%')
        """
}
