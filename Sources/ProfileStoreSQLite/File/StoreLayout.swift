internal import ProfileCore
internal import ProfileStore
internal import SQLiteAccess
internal import SQLiteMigrations

/// What a store's `sqlite_schema` must hold: what migrations and adopted schemas have made, and nothing else that runs.
///
/// A database brings SQL of its own. A view in the place of a table, a trigger, a generated column, a CHECK, an index over
/// an expression: whoever reads or writes runs them, for as long as their author likes. So they are looked for before
/// anything else is read.
///
/// SQLite keeps CREATE statements word for word, and puts an added column in a known place. Comparing texts is therefore
/// enough; a test compares with what SQLite makes of the same migrations and schemas.
struct StoreLayout {
    /// The SQL of the tables and indexes that migrations make, by name.
    let objects: [String: String]

    /// That of the version which this program makes.
    static let latest = StoreLayout(version: Migrator.latest)

    /// What the migrations up to a version make.
    init(version: Int) {
        var objects: [String: String] = [:]
        var addedColumns: [Substring: Substring] = [:]
        for migration in Migration.all where migration.version <= version {
            for statement in migration.statements {
                let words = statement.split(separator: " ", maxSplits: 5)
                switch (words[0], words[1]) {
                case ("CREATE", "TABLE"), ("CREATE", "INDEX"): objects[String(words[2])] = statement
                case ("CREATE", "UNIQUE"): objects[String(words[3])] = statement
                // The words are ALTER TABLE … ADD COLUMN and the definition, or DROP COLUMN and the name of an added column.
                case ("ALTER", "TABLE"):
                    let table = String(words[2])
                    let (head, tail) = Self.split(objects[table] ?? "")
                    if words[3] == "ADD" {
                        addedColumns[words[5].prefix { $0 != " " }] = words[5]
                        objects[table] = "\(head), \(words[5])\(tail)"
                    } else {
                        objects[table] = (head + tail).replacing(", \(addedColumns[words[5]] ?? "")", with: "")
                    }
                case ("DROP", "TABLE"):
                    // Its indexes go with it.
                    let table = String(words[2])
                    objects[table] = nil
                    objects = objects.filter { !$0.value.contains("INDEX \($0.key) ON \(table) (") }
                // A row.
                default: break
                }
            }
        }
        self.objects = objects
    }

    /// Sees that a store is laid out as its version and its schema in force want it, and accepts its schema.
    ///
    /// Beside that it may have what SQLite keeps for its planner, and further indexes that are plain: of columns, of every
    /// row, and not unique.
    ///
    /// - Throws: `newerStore`; `altered`, naming what differs; `corrupt`.
    static func verify(_ connection: borrowing Connection) throws {
        do {
            try connection.within(Connection.openingLimit) {
                try connection.readTransaction {
                    try connection.acceptSchema()
                    let version = try knownVersion(connection)
                    let layout = version == Migrator.latest ? latest : StoreLayout(version: version)
                    try layout.verify(connection)
                }
            }
        } catch let error as SQLiteError where error.code == .interrupt {
            throw ProfileStoreError.corrupt(.slowSchema)
        }
    }

    /// Sees, once something was read, that a later version of this program has not migrated the store meanwhile.
    ///
    /// Every migration changes the schema. So this looks into the file only where a statement had to be prepared.
    static func requireKnownVersion(_ connection: borrowing Connection) throws {
        if try !connection.hasOnlyMetAcceptedSchema() { _ = try knownVersion(connection) }
    }

    /// The version of a store; one that this program does not know is refused.
    static func knownVersion(_ connection: borrowing Connection) throws -> Int {
        let version = try connection.userVersion()
        guard version <= Migrator.latest else {
            throw ProfileStoreError.newerStore(
                path: connection.path?.description ?? "", version: version, known: Migrator.latest)
        }
        return version
    }

    private func verify(_ connection: borrowing Connection) throws {
        var missing = objects
        var uniqueFields: Set<FieldName> = []
        for object in try Self.objects(of: connection) {
            if let sql = missing.removeValue(forKey: object.name) {
                guard object.hasText(sql) || object.hasText(Self.extended(sql, as: object)) else {
                    throw object.error(.changed)
                }
            } else if let field = object.uniqueField {
                uniqueFields.insert(field)
            } else {
                guard try object.isHarmless(connection) else { throw object.error(.foreign) }
            }
        }
        if let (name, sql) = missing.min(by: { $0.key < $1.key }) {
            let type = sql.hasPrefix("CREATE TABLE") ? "table" : "index"
            throw ProfileStoreError.altered(AlteredObject(.missing, type: type, name: name))
        }
        // Only now is it known that `schemas` is a table as any other.
        let schema = objects["schemas"] == nil ? nil : try SchemaTable.latest(connection)?.parsed()
        let wanted = Set(schema.map(SchemaTable.uniqueFields) ?? [])
        guard let field = wanted.symmetricDifference(uniqueFields).min() else { return }
        throw ProfileStoreError.altered(
            AlteredObject(
                wanted.contains(field) ? .missing : .foreign, type: "index",
                name: ProfileTable.uniqueIndexName(field.text)))
    }

    /// What is in `sqlite_schema`, without the indexes that SQLite makes by itself: their tables say which.
    private static func objects(of connection: borrowing Connection) throws -> [StoredObject] {
        var objects: [StoredObject] = []
        // By its oldest name, which no view can take.
        var statement = try connection.prepare("SELECT type, name, tbl_name, sql FROM sqlite_master")
        while try statement.step() {
            guard let sql = statement.string(at: 3), !sql.isEmpty else { continue }
            objects.append(
                StoredObject(
                    type: statement.string(at: 0) ?? "", name: statement.string(at: 1) ?? "",
                    table: statement.string(at: 2) ?? "", sql: sql))
        }
        return objects
    }

    /// The table `profiles` with the columns that a stored one has besides, each as an adoption adds it.
    private static func extended(_ table: String, as stored: StoredObject) -> String {
        guard stored.name == "profiles" else { return table }
        // Nothing else in it is quoted, and each column's name is there twice.
        let pieces = stored.sql.utf8.split(separator: UInt8(ascii: "\""), omittingEmptySubsequences: false)
        let names = stride(from: 1, to: pieces.count, by: 4).map { String(decoding: pieces[$0], as: UTF8.self) }
        let (head, tail) = split(table)
        return head + names.compactMap(FieldName.init).map { ", " + ProfileTable.columnDefinition($0) }.joined() + tail
    }

    /// The parts of a table's SQL between which SQLite puts a column that is added: before the constraints of the whole
    /// table, or the end of the columns.
    private static func split(_ table: String) -> (head: String, tail: String) {
        let bytes = Array(table.utf8)
        let constraint = bytes.indices.first {
            bytes[$0] == UInt8(ascii: ",") && bytes[$0...].starts(with: ",\n    CHECK".utf8)
        }
        let place = constraint ?? bytes.lastIndex(of: UInt8(ascii: ")")) ?? bytes.endIndex
        return (String(decoding: bytes[..<place], as: UTF8.self), String(decoding: bytes[place...], as: UTF8.self))
    }
}

/// A row of `sqlite_schema`.
private struct StoredObject {
    let type: String
    let name: String
    let table: String
    let sql: String

    /// Whether it was made by this text, byte by byte: to `==` of strings, some letters are the same that are not to SQLite.
    func hasText(_ text: String) -> Bool { Array(sql.utf8) == Array(text.utf8) }

    /// The field whose values it keeps unique, if an adoption made it for that.
    var uniqueField: FieldName? {
        let prefix = ProfileTable.uniqueIndexName("")
        guard name.hasPrefix(prefix), let field = FieldName(String(name.dropFirst(prefix.count))) else { return nil }
        return hasText(ProfileTable.createUniqueIndex(field)) ? field : nil
    }

    /// Whether it only helps SQLite to find rows, and holds nothing that is computed.
    func isHarmless(_ connection: borrowing Connection) throws -> Bool {
        if isStatistics { return true }
        return try isPlainIndex(connection)
    }

    /// Whether it is one of the tables that ANALYZE makes.
    private var isStatistics: Bool {
        hasText("CREATE TABLE sqlite_stat1(tbl,idx,stat)")
            || hasText("CREATE TABLE sqlite_stat4(tbl,idx,neq,nlt,ndlt,sample)")
    }

    /// Whether it is an index of columns alone, over every row, that refuses none.
    private func isPlainIndex(_ connection: borrowing Connection) throws(SQLiteError) -> Bool {
        // SQLite reads the text to its first semicolon; who runs it anew must not run more.
        guard type == "index", !sql.contains(";") else { return false }
        var statement = try connection.prepare(
            """
            SELECT 1 FROM pragma_index_list(?1) WHERE name = ?2 AND NOT "unique" AND NOT partial
            AND NOT EXISTS (SELECT 1 FROM pragma_index_xinfo(?2) WHERE cid = -2)
            """)
        try statement.bind(table, at: 1)
        try statement.bind(name, at: 2)
        return try statement.step()
    }

    func error(_ difference: AlteredObject.Difference) -> ProfileStoreError {
        .altered(AlteredObject(difference, type: type, name: name))
    }
}

extension Migration {
    /// Its statements, each from its first word to before the semicolon, which ends a line.
    fileprivate var statements: [String] {
        var statements: [String] = []
        var start: Int?
        var lineStart = 0
        for (index, byte) in sql.enumerated() where byte == UInt8(ascii: "\n") {
            let line = sql[lineStart..<index]
            if start == nil, !line.isEmpty, !line.starts(with: "--".utf8) { start = lineStart }
            if let first = start, line.last == UInt8(ascii: ";") {
                statements.append(String(decoding: sql[first..<index - 1], as: UTF8.self))
                start = nil
            }
            lineStart = index + 1
        }
        return statements
    }
}
