extension ProfileSchema {
    /// Reads a schema file.
    ///
    /// An unknown member is an error. If the parser ignored an unknown rule, the store would accept invalid profiles.
    /// - Parameters:
    ///   - bytes: A Table Schema document, UTF-8.
    ///   - defaultName: The name of the schema if the document contains no name.
    /// - Throws: All errors in the document, with their places.
    public init(parsing bytes: Span<UInt8>, defaultName: String = Self.defaultName) throws(SchemaFailure) {
        try self.init(try Self.document(parsing: bytes), defaultName: defaultName)
    }

    private init(
        _ document: JSONValue, defaultName: String, isStored: Bool = false
    ) throws(SchemaFailure) {
        let errors = SchemaErrors()
        guard let root = SchemaObject(document, "$", errors),
            let schema = SchemaParser(root, isStored: isStored).parse(defaultName: defaultName), errors.list.isEmpty
        else { throw SchemaFailure(errors.list) }
        self = schema
    }

    /// Reads a ``storedDocument``. Every field that is not secret gets an assigned column.
    package init(parsingStored text: String) throws(SchemaFailure) {
        let document = try Self.document(parsing: text.utf8Span.span)
        try self.init(document, defaultName: Self.defaultName, isStored: true)
    }

    private static func document(parsing bytes: Span<UInt8>) throws(SchemaFailure) -> JSONValue {
        do throws(JSONError) {
            return try JSONValue(parsing: bytes)
        } catch {
            throw SchemaFailure([SchemaError("$", .notJSON(error))])
        }
    }

    /// Reads a schema file from a text.
    public init(parsing text: String, defaultName: String = Self.defaultName) throws(SchemaFailure) {
        try self.init(parsing: Array(text.utf8).span, defaultName: defaultName)
    }
}

extension ProfileSchema: Decodable {
    /// Decodes a Table Schema document like ``init(parsing:defaultName:)-(Span<UInt8>,_)``. Some decoders do not detect
    /// that an object has two members of the same name.
    ///
    /// - Throws: `DecodingError` with all errors in the document and their places. Its underlying error is the
    ///   ``SchemaFailure``.
    public init(from decoder: any Decoder) throws {
        let document = try JSONValue(from: decoder)
        do throws(SchemaFailure) {
            try self.init(document, defaultName: Self.defaultName)
        } catch {
            throw DecodingError.dataCorrupted(
                .init(codingPath: decoder.codingPath, debugDescription: error.description, underlyingError: error))
        }
    }

    /// The name of a schema if the document contains no name.
    public static let defaultName = "custom"
}

/// Reads the whole document. If the parser finds an error, it reports the error and continues.
private struct SchemaParser {
    let root: SchemaObject
    /// Whether a store has written the document. Then the document contains the columns of the fields.
    private let isStored: Bool
    var errors: SchemaErrors { root.errors }

    init(_ root: SchemaObject, isStored: Bool) {
        self.root = root
        self.isStored = isStored
    }

    /// The schema; nil if an error was reported.
    func parse(defaultName: String) -> ProfileSchema? {
        root.allowOnly(["name", "title", "description", "$schema", "fields", "missingValues", "primaryKey", "profiles"])
        let name = root.text("name") ?? defaultName
        let missingValues = MissingValues.read(from: root) ?? []
        let primaryKey = parsePrimaryKey()
        let profiles = root.object("profiles")
        let settings = ImportSettings(profiles)
        guard root["fields"] != nil else {
            root.report("fields", .missing(.fields))
            return nil
        }
        guard let list = root.array("fields") else { return nil }
        guard 1...ProfileSchema.mostFields ~= list.count else {
            root.report("fields", .fieldCount(list.count, allowed: 1...ProfileSchema.mostFields))
            return nil
        }
        var fields: [(rules: FieldRules, path: String)] = []
        var haveNames = true
        for (value, path) in list {
            let rules = SchemaObject(value, path, errors).flatMap {
                FieldParser($0, primaryKey: primaryKey, missingValues: missingValues, isStored: isStored).parse()
            }
            if let rules { fields.append((rules, path)) } else { haveNames = false }
        }
        checkNames(fields)
        checkColumns(fields)
        // `contentFields` may refer to a field whose own name has an error. In this case the list is not checked.
        if haveNames { checkContentFields(of: profiles, in: fields) }
        guard let index = fields.firstIndex(where: { $0.rules.isPrimaryKey }) else {
            // A field without a valid name may be the primary key. So if there is such a field, a missing key is not
            // reported.
            if haveNames, let primaryKey { reportMissing(primaryKey) }
            return nil
        }
        // The store keeps the primary key in the column `username`, so no other field can have the name `username`.
        for (rules, path) in fields where rules.name == .username && !rules.isPrimaryKey {
            errors.report("\(path).name", .usernameBesideKey(fields[index].rules.name))
        }
        return ProfileSchema(
            name: name, fields: fields.map(\.rules), primaryKeyIndex: index, importSettings: settings)
    }

    /// Reads `primaryKey`; nil if it is malformed.
    private func parsePrimaryKey() -> PrimaryKey? {
        let path = root.path("primaryKey")
        let value: JSONValue
        switch root["primaryKey"] {
        case nil: return PrimaryKey(name: FieldName.username.text, path: root.path("fields"), isNamed: false)
        case .array(let names)?:
            guard names.count == 1 else {
                errors.report(path, .compositeKey(names.count))
                return nil
            }
            value = names[0]
        case let name?: value = name
        }
        return SchemaObject.string(value, path, errors).map { PrimaryKey(name: $0, path: path, isNamed: true) }
    }

    private func reportMissing(_ key: PrimaryKey) {
        errors.report(key.path, key.isNamed ? .noSuchField(key.name) : .missing(.username))
    }

    private func checkNames(_ fields: [(rules: FieldRules, path: String)]) {
        var earlier: [FieldName] = []
        for (rules, path) in fields {
            if earlier.contains(rules.name) {
                errors.report("\(path).name", .repeatedField(rules.name))
            } else if let other = earlier.first(where: { FoldedHeader($0.text) == FoldedHeader(rules.name.text) }) {
                // An import ignores underscores in headers (I2), so one column would match both fields.
                errors.report("\(path).name", .indistinctFields(rules.name, other))
            }
            earlier.append(rules.name)
        }
        checkFormerNames(fields)
    }

    /// Checks that no two fields have the same former name, because only one field can keep the stored values.
    private func checkFormerNames(_ fields: [(rules: FieldRules, path: String)]) {
        var owners: [FieldName: FieldName] = [:]
        for (rules, path) in fields {
            guard let name = rules.formerName else { continue }
            if let owner = owners[name] {
                errors.report("\(path).profiles.was", .repeatedFormerName(name, of: owner))
            }
            owners[name] = rules.name
        }
    }

    /// Checks that every name in `contentFields` is the name of a field. The primary key and a secret are not allowed.
    private func checkContentFields(of settings: SchemaObject, in fields: [(rules: FieldRules, path: String)]) {
        guard case .array(let names)? = settings["contentFields"] else { return }
        let known = fields.filter { !$0.rules.isPrimaryKey && !$0.rules.isSecret }.map(\.rules.name.text)
        for (index, name) in names.enumerated() {
            guard case .string(let name) = name, !known.contains(name) else { continue }
            errors.report("\(settings.path("contentFields"))[\(index)]", .unknownChoice(name, known: known))
        }
    }

    /// Checks that no column of a file matches two fields. An import compares a header with the names of columns first
    /// exactly, and then as a `FoldedHeader`. So `first_name` and `firstname` may both be names of columns. An import
    /// matches hash columns before all other columns. So `hashColumns` may contain the name of the password field.
    private func checkColumns(_ fields: [(rules: FieldRules, path: String)]) {
        var owners: [String: String] = [:]
        for (rules, _) in fields { owners[rules.name.text] = rules.name.text }
        for (rules, path) in fields {
            for (key, columns, owner) in [
                ("columns", rules.columns, rules.name.text), ("hashColumns", rules.hashColumns, ProfileDraft.hashName),
            ] {
                for (index, column) in columns.enumerated() {
                    if key == "hashColumns", column == rules.name.text {
                        owners[column] = owner
                        continue
                    }
                    // A column contains hashes if its folded header equals the folded `password_hash`.
                    let isHash = FoldedHeader(column) == FoldedHeader(ProfileDraft.hashName)
                    if let other = isHash ? ProfileDraft.hashName : owners[column], other != owner {
                        errors.report("\(path).profiles.\(key)[\(index)]", .repeatedColumn(column, meaning: other))
                    } else {
                        owners[column] = owner
                    }
                }
            }
        }
    }
}

/// The primary key that the schema declares.
struct PrimaryKey {
    let name: String
    /// The JSON path for errors about the primary key.
    let path: String
    /// Whether the document has `primaryKey`. Otherwise the primary key is `username`.
    let isNamed: Bool
}

/// Reads the list `missingValues` of a schema or a field.
enum MissingValues {
    /// The values in the list, or nil if there is no list. The empty text is omitted, because it always means "no
    /// value".
    static func read(from object: SchemaObject) -> [String]? {
        guard let list = object.array("missingValues") else { return nil }
        guard list.count <= most else {
            object.report("missingValues", .tooManyEntries(list.count, allowed: most))
            return nil
        }
        var values: [String] = []
        for (value, path) in list {
            guard let text = text(value, path, object.errors) else { continue }
            guard text.utf8.count <= longest else {
                object.errors.report(path, .tooLong(text.utf8.count, allowed: longest))
                continue
            }
            let trimmed = text.trimmed
            if !trimmed.isEmpty, !values.contains(trimmed) { values.append(trimmed) }
        }
        return values
    }

    /// Reads an entry. An entry is a string or an object. The object has a `value` and an optional `label` for human
    /// readers.
    private static func text(_ value: JSONValue, _ path: String, _ errors: SchemaErrors) -> String? {
        guard case .object = value, let entry = SchemaObject(value, path, errors) else {
            return SchemaObject.string(value, path, errors)
        }
        entry.allowOnly(["value", "label"])
        _ = entry.text("label")
        if entry["value"] == nil { entry.report("value", .missing(.value)) }
        return entry.string("value")
    }

    private static let most = 1_000
    /// The maximum length in bytes of UTF-8.
    private static let longest = 256
}

extension String {
    /// The text without ASCII white space around it.
    package var trimmed: String { String(Array(utf8).span.trimmed()) }
}
