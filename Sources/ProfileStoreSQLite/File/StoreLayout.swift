internal import ProfileCore
internal import ProfileStore
internal import SQLiteAccess
internal import SQLiteMigrations

/// The expected contents of a store's `sqlite_schema`: the objects that migrations and adopted schemas create. Other
/// objects are allowed only if they run no SQL.
///
/// A database file can contain SQL of an unknown author: a view instead of a table, a trigger, a generated column, a
/// CHECK, an index over an expression. SQLite runs that SQL when a program reads or writes, and the SQL can run for an
/// unlimited time. So the layout is verified before anything else is read.
///
/// SQLite stores CREATE statements word for word and inserts an added column at a known place. Comparing texts is
/// therefore enough. A test compares this layout with the layout that SQLite creates from the same migrations and
/// schemas.
struct StoreLayout {
    /// The SQL of the tables and indexes that migrations create, by name.
    let objects: [String: String]

    /// The layout of the latest version.
    static let latest = StoreLayout(version: Migrator.latest)

    /// Derives the layout from the migrations up to a version.
    init(version: Int) {
        var tables: [String: Table] = [:]
        var indexes: [String: (sql: String, table: String)] = [:]
        for migration in Migration.sqlite where migration.version <= version {
            for statement in migration.statements {
                let words = statement.utf8.split(separator: UInt8(ascii: " "), maxSplits: 5).map {
                    String(Substring($0))
                }
                switch (words[0], words[1]) {
                case ("CREATE", "TABLE"): tables[words[2]] = Table(statement)
                case ("CREATE", "INDEX"): indexes[words[2]] = (statement, table: words[4])
                case ("CREATE", "UNIQUE"):
                    indexes[words[3]] = (statement, table: String(words[5].prefix { $0 != " " }))
                // The statement is ALTER TABLE … ADD COLUMN with a definition, or ALTER TABLE … DROP COLUMN with the
                // name of a column that an earlier migration added.
                case ("ALTER", "TABLE"):
                    if words[3] == "ADD" {
                        tables[words[2]]?.addedColumns.append(words[5])
                    } else {
                        tables[words[2]]?.addedColumns.removeAll { $0.hasPrefix(words[5] + " ") }
                    }
                case ("DROP", "TABLE"):
                    // When SQLite drops a table, it also drops the table's indexes.
                    tables[words[2]] = nil
                    indexes = indexes.filter { $0.value.table != words[2] }
                // Other statements write rows.
                default: break
                }
            }
        }
        objects = indexes.mapValues(\.sql).merging(tables.mapValues(\.sql)) { index, _ in index }
    }

    /// Verifies that the layout of a store matches its version and its schema in force. Also records the database's
    /// current SQLite schema as accepted; see ``requireKnownVersion(_:)``.
    ///
    /// A store may also have the tables that ANALYZE creates, and additional plain indexes. A plain index is not
    /// unique, has only columns, and contains every row.
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

    /// Throws `newerStore` if a later version of this program has migrated the store. Call this after reading.
    ///
    /// Every migration changes the SQLite schema. So this method reads the version only if SQLite has prepared a
    /// statement under an SQLite schema that ``verify(_:)`` has not accepted.
    static func requireKnownVersion(_ connection: borrowing Connection) throws {
        if try !connection.hasOnlyMetAcceptedSchema() { _ = try knownVersion(connection) }
    }

    /// Returns the version of a store, or throws `newerStore` if this program does not know that version.
    static func knownVersion(_ connection: borrowing Connection) throws -> Int {
        let version = Int(try connection.header().userVersion)
        guard version <= Migrator.latest else {
            throw ProfileStoreError.newerStore(
                path: connection.path?.description ?? "", version: version, known: Migrator.latest)
        }
        return version
    }

    private func verify(_ connection: borrowing Connection) throws {
        var missing = objects
        var uniqueColumns: [FieldColumn] = []
        for object in try Self.objects(of: connection) {
            if let sql = missing.removeValue(forKey: object.name) {
                guard object.hasText(sql) || object.hasText(Self.extended(sql, as: object)) else {
                    throw object.error(.changed)
                }
            } else if let column = object.uniqueColumn {
                uniqueColumns.append(column)
            } else {
                guard try object.isHarmless(connection) else { throw object.error(.foreign) }
            }
        }
        if let (name, sql) = missing.min(by: { $0.key < $1.key }) {
            let type = sql.hasPrefix("CREATE TABLE") ? "table" : "index"
            throw ProfileStoreError.altered(AlteredObject(.missing, type: type, name: name))
        }
        // The loop above has verified that `schemas` is a plain table, so it can be read now.
        let schema = objects["schemas"] == nil ? nil : try SchemaTable.latest(connection)?.parsed()
        let wanted = schema?.uniqueFields.map(\.column) ?? []
        // Arrays are faster than sets here: the lists are short, and the first `Set` of an element type takes the
        // runtime long to prepare.
        let different = wanted.filter { !uniqueColumns.contains($0) } + uniqueColumns.filter { !wanted.contains($0) }
        guard let column = different.min() else { return }
        throw ProfileStoreError.altered(
            AlteredObject(
                wanted.contains(column) ? .missing : .foreign, type: "index",
                name: ProfileTable.uniqueIndexName(column.text)))
    }

    /// Returns the rows of `sqlite_schema`. The automatic indexes are left out, because they follow from the SQL of
    /// their tables.
    private static func objects(of connection: borrowing Connection) throws -> [StoredObject] {
        var objects: [StoredObject] = []
        // `sqlite_master` is the older name of `sqlite_schema`. It is used because no view in the file can have the
        // name `sqlite_master`.
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

    /// Returns the SQL of the table `profiles`. The SQL contains the columns that adoptions have added to the stored
    /// table. If the table is not `profiles`, returns its SQL unchanged.
    private static func extended(_ table: String, as stored: StoredObject) -> String {
        guard stored.name == "profiles" else { return table }
        // The SQL quotes only the names of added columns, and each definition contains the name twice. So every fourth
        // piece between quotation marks is the first occurrence of a name.
        let pieces = stored.sql.utf8.split(separator: UInt8(ascii: "\""), omittingEmptySubsequences: false)
        let names = stride(from: 1, to: pieces.count, by: 4).map { String(decoding: pieces[$0], as: UTF8.self) }
        var extended = Table(table)
        extended.addedColumns = names.compactMap(FieldColumn.init).map(ProfileTable.columnDefinition)
        return extended.sql
    }
}

/// The SQL of a table, and the columns that were added later.
private struct Table {
    let head: String
    let tail: String
    /// The definitions of the added columns.
    var addedColumns: [String] = []

    /// Splits a table's SQL at the place where SQLite inserts an added column: before the table constraints, or at the
    /// end of the columns.
    init(_ created: String) {
        let bytes = Array(created.utf8)
        let constraint = bytes.indices.first {
            bytes[$0] == UInt8(ascii: ",") && bytes[$0...].starts(with: ",\n    CHECK".utf8)
        }
        let place = constraint ?? bytes.lastIndex(of: UInt8(ascii: ")")) ?? bytes.endIndex
        head = String(decoding: bytes[..<place], as: UTF8.self)
        tail = String(decoding: bytes[place...], as: UTF8.self)
    }

    /// The SQL that SQLite stores.
    var sql: String { head + addedColumns.map { ", " + $0 }.joined() + tail }
}

/// A row of `sqlite_schema`.
private struct StoredObject {
    let type: String
    let name: String
    let table: String
    let sql: String

    /// Returns whether the object's SQL is this text, byte by byte. The operator `==` of Swift's strings is not used,
    /// because it treats some different texts as equal.
    func hasText(_ text: String) -> Bool { Array(sql.utf8) == Array(text.utf8) }

    /// The column of this unique index; nil if the object is not a unique index that an adoption created.
    var uniqueColumn: FieldColumn? {
        let prefix = ProfileTable.uniqueIndexName("")
        guard name.hasPrefix(prefix), let column = FieldColumn(String(name.dropFirst(prefix.count))) else { return nil }
        return hasText(ProfileTable.createUniqueIndex(column)) ? column : nil
    }

    /// Returns whether the object only helps SQLite to find rows and contains no computed values.
    func isHarmless(_ connection: borrowing Connection) throws -> Bool {
        if isStatistics { return true }
        return try isPlainIndex(connection)
    }

    /// Whether this is one of the tables that ANALYZE creates.
    private var isStatistics: Bool {
        hasText("CREATE TABLE sqlite_stat1(tbl,idx,stat)")
            || hasText("CREATE TABLE sqlite_stat4(tbl,idx,neq,nlt,ndlt,sample)")
    }

    /// Returns whether this is a plain index: it is not unique, has only columns, and contains every row.
    private func isPlainIndex(_ connection: borrowing Connection) throws(SQLiteError) -> Bool {
        // SQLite reads the index's SQL only up to the first semicolon. A program that executes the whole stored SQL
        // would also run the statements after the semicolon.
        guard type == "index", !sql.contains(";") else { return false }
        var statement = try connection.prepare(
            """
            SELECT 1 FROM pragma_index_list(?1) WHERE name = ?2 AND NOT "unique" AND NOT partial
            AND NOT EXISTS (SELECT 1 FROM pragma_index_xinfo(?2) WHERE cid = -2)
            """, table, name)
        return try statement.step()
    }

    func error(_ difference: AlteredObject.Difference) -> ProfileStoreError {
        .altered(AlteredObject(difference, type: type, name: name))
    }
}

extension Migration {
    /// The statements of the script, without their semicolons. Each statement ends with a semicolon at the end of a
    /// line.
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
