internal import ProfileCore
internal import ProfileTransfer

/// Makes the fields of a schema from columns, one after another.
struct ProposalMaker {
    private let columns: [InferenceColumn]
    let evidence: BatchEvidence
    let keys: [Int: KeyCandidates.Finding]
    /// The columns of the key: one that is the key, or several that form it together. Empty if there is none.
    let key: [Int]
    let secrets: ChosenSecrets
    private let options: InferenceOptions
    private let settings: ColumnSettings

    /// A column with the field that was made for it.
    private struct Made {
        let column: Int
        /// Nil for a column that is left out.
        let draft: FieldDraft?
        let values: Int
        let missing: Int
        let doubts: [ColumnDoubt]
    }

    private var made: [Made] = []
    private let naming: FieldNaming
    /// The folded headers of all columns. An import compares folded headers if no header is equal to the name of the
    /// field.
    private let headers: [FoldedHeader]
    private var tokens: Set<Int>
    /// The values that do not fit the chosen type of their column.
    private(set) var misfits = CountedLines()
    /// The decimal sign that columns of the file prove; nil if they prove none, or different ones.
    private let decimal: UInt8?

    init(
        found: InferenceSource.Found, evidence: BatchEvidence, keys: [Int: KeyCandidates.Finding], key: [Int],
        secrets: ChosenSecrets, options: InferenceOptions
    ) throws(InferenceError) {
        columns = found.columns
        self.evidence = evidence
        self.keys = keys
        self.key = key
        self.secrets = secrets
        self.options = options
        settings = try ColumnSettings(options, found.columns)
        let isOpen = { (column: Int) in
            found.columns[column].omission == nil && secrets.leftOut[column] == nil && column != secrets.hashes
                && column != secrets.passwords
        }
        let open = found.chosen.filter(isOpen).map { (position: $0, name: found.columns[$0].name) }
        for column in [secrets.hashes, secrets.passwords].compactMap(\.self) {
            guard let name = settings.names[column], name != FieldName.password.text else { continue }
            throw .unusableName(name, column: found.columns[column].name.header, .secret)
        }
        naming = try FieldNaming(
            of: open, chosen: settings.names, key: key.count == 1 ? key.first : nil, headers: Set(found.headers))
        headers = found.headers.map(FoldedHeader.init)
        let decimals = Set(evidence.columns.compactMap(ColumnJudgement.decimal(provenBy:)))
        decimal = decimals.count == 1 ? decimals.first : nil
        tokens = evidence.columns.reduce(into: []) { $0.formUnion(ColumnJudgement.tokens(standingOutIn: $1)) }
    }

    mutating func add(_ column: Int) {
        let found = evidence[column]
        if let reason = columns[column].omission {
            leaveOut(column, ColumnEvidence(), reason)
        } else if let reason = secrets.leftOut[column] {
            leaveOut(column, found, reason)
        } else if column == secrets.hashes || column == secrets.passwords {
            addSecret(column, found)
        } else {
            addOpen(column, found)
        }
    }

    private mutating func leaveOut(_ column: Int, _ found: ColumnEvidence, _ reason: ColumnDoubt.OmissionReason) {
        made.append(
            Made(
                column: column, draft: nil, values: found.values, missing: found.cells - found.values,
                doubts: [.leftOut(reason)]))
    }

    /// Adds the field `password`. The schema keeps the column's header if an import would not match it with the field.
    private mutating func addSecret(_ column: Int, _ found: ColumnEvidence) {
        var draft = FieldDraft(name: FieldName.password.text)
        draft.extensions = [JSONMember("secret", true), JSONMember("contentType", "new-password")]
        let isHash = column == secrets.hashes
        // Any text can be a password, so only an empty cell is missing. In a column of hashes, white space and texts
        // such as `NA` also count as missing.
        let missing = isHash ? found.cells - found.values : found.empty
        let values = found.cells - missing
        var doubts: [ColumnDoubt] = []
        if missing == 0, values > 0 {
            switch settings.tightness(of: column) {
            case .loose: break
            case .proven where values < RuleEvidence.enough: doubts.append(.withheld([.required], .fewValues))
            case .proven, .strict: draft.constraints = [JSONMember("required", true)]
            }
        }
        if isHash, found.tokenCount > 0 {
            let texts = found.tokens.keys.sorted().map { MissingToken.all[$0].text }
            doubts.append(.takenAsMissing(texts, count: found.tokenCount))
            draft.attributes = [JSONMember("missingValues", .array([""] + texts.map(JSONValue.string)))]
        }
        let header = columns[column].name.header
        if !finds(isHash ? ProfileDraft.hashName : FieldName.password.text, by: header) {
            draft.extensions.append(JSONMember(isHash ? "hashColumns" : "columns", [.string(header)]))
        }
        made.append(Made(column: column, draft: draft, values: values, missing: missing, doubts: doubts))
    }

    private mutating func addOpen(_ column: Int, _ found: ColumnEvidence) {
        let isKey = key == [column]
        // If the options choose the key, this column is not treated as a further key, because its values may repeat in
        // the next file.
        let isOtherKey =
            !isKey && options.chosenKey == nil && columns[column].name.keyRank != nil
            && keys[column]?.exceptions == 0
        let judgement = ColumnJudgement(
            found, columns[column].name, isKey: isKey, isPartOfKey: key.contains(column), isOtherKey: isOtherKey,
            tokens: tokens, decimal: decimal, type: columns[column].type,
            tightness: settings.tightness(of: column))
        misfits.merge(judgement.misfits)
        var draft = judgement.draft
        var doubts = judgement.doubts + (columns[column].holdsJoinedLists ? [.joinedLists] : [])
        if isKey {
            draft.constraints.insert(JSONMember("unique", true), at: 1)
            if columns[column].name.keyRank == nil, options.chosenKey == nil { doubts.append(.keyByValues) }
            if let finding = keys[column], finding.exceptions > 0 {
                doubts.append(.keyExceptions(missing: finding.missing, repeated: finding.repeats))
            }
        }
        if let reason = giveName(to: &draft, column) { doubts.append(.renamed(reason)) }
        made.append(
            Made(column: column, draft: draft, values: judgement.values, missing: judgement.missing, doubts: doubts))
    }

    /// Names the field, and keeps the column's header if it differs from the name. An export with the original headers
    /// writes the kept header.
    private func giveName(to draft: inout FieldDraft, _ column: Int) -> ColumnDoubt.RenamingReason? {
        let name = columns[column].name
        guard let (text, reason) = naming.names[column] else { return nil }
        draft.name = text
        if name.header != text { draft.title = name.header }
        if name.header != text { draft.extensions.append(JSONMember("columns", [.string(name.header)])) }
        return reason
    }

    /// Returns whether an import matches the header with the field without an entry in `columns`. It does if the header
    /// and the name of the field are equal. It also does if their folded forms are equal and no other header has that
    /// folded form.
    private func finds(_ field: String, by header: String) -> Bool {
        if header == field { return true }
        let folded = FoldedHeader(header)
        return folded == FoldedHeader(field) && headers.count { $0 == folded } == 1
    }

    /// Returns the schema of all added columns. If no single column is the key, the schema gets a further field for the
    /// key. An import fills this field with the row number, a hash of the row, or the cells of the key columns.
    func schema(named name: String) throws(InferenceError) -> ProfileSchema {
        var fields = made.compactMap { $0.draft?.document }
        var primaryKey = FieldName.username.text
        if key.count == 1 {
            primaryKey = made.first { key == [$0.column] }?.draft?.name ?? primaryKey
        } else {
            primaryKey = naming.computedKey
            guard fields.count < ProfileSchema.mostFields else {
                throw .tooManyColumns(fields.count, most: ProfileSchema.mostFields - 1)
            }
            fields.insert(computedKey(named: primaryKey), at: 0)
        }
        var members = [JSONMember("name", .string(name)), JSONMember("fields", .array(fields))]
        if primaryKey != FieldName.username.text { members.append(JSONMember("primaryKey", .string(primaryKey))) }
        do {
            return try ProfileSchema(parsing: JSONValue.object(members).text())
        } catch {
            throw .refusedSchema("\(error)")
        }
    }

    private func computedKey(named name: String) -> JSONValue {
        let isNumber = options.chosenKey == nil || options.chosenKey == .rowNumber
        var members = [
            JSONMember("name", .string(name)), JSONMember("title", isNumber ? "Row" : "Key"),
            JSONMember("constraints", ["required": true, "unique": true]),
        ]
        if isNumber { members.append(JSONMember("profiles", ["characters": ["ascii-digits"]])) }
        return .object(members)
    }

    /// Returns the proposal for each column.
    func columns(of schema: ProfileSchema) -> [ColumnProposal] {
        made.map { made in
            let rules = made.draft.flatMap { FieldName($0.name) }.flatMap { schema[$0] }
            let name = columns[made.column].name
            let isShown = name.secrecy == .none && rules?.isSecret == false
            let shown = isShown ? evidence[made.column] : ColumnEvidence()
            return ColumnProposal(
                header: name.header, rules: rules, holdsHashes: made.column == secrets.hashes,
                values: made.values, missing: made.missing,
                examples: shown.examples.map { String(decoding: $0, as: UTF8.self) }, unusual: shown.unusual,
                doubts: made.doubts)
        }
    }
}
