public import ProfileCore
internal import ProfileStore
public import ProfileTransfer

/// The rules of a schema that a file breaks, and looser rules that the file satisfies (N12).
public struct SchemaLoosening: Sendable {
    /// The rules that the file breaks, in the order of the fields.
    public let broken: [BrokenRule]
    /// The fields that become text or lose their mask. Values that are already stored keep their form, but later values
    /// may be stored in another form.
    public let keptForms: [KeptForm]
    /// The schema with looser rules. It equals the original schema if no rule can be loosened. No rule is stricter than
    /// before, and the key is the same.
    public let schema: ProfileSchema

    /// A rule that some values of a file break.
    public struct BrokenRule: Hashable, Sendable {
        /// The field.
        public let field: FieldName
        /// The code of the issues.
        public let code: IssueCode
        /// The number of rows with this issue.
        public let count: Int
        /// The first issues with different values.
        public let examples: [RowIssue]
        /// Whether the rule is not loosened because the keys of the rows depend on it.
        public fileprivate(set) var isOfKey = false
    }

    /// A field whose stored values keep their form, although later values may get another one.
    public struct KeptForm: Hashable, Sendable {
        /// The field.
        public let field: FieldName
        /// A value of the file that the original schema would store in another form than written. Nil if the
        /// ``ColumnProposal/examples`` of the column contain no such value.
        public let written: String?
        /// The stored form of the value.
        public let stored: String?
    }

    /// Judges a file by a schema, and loosens the rules that it breaks.
    ///
    /// - Parameters:
    ///   - schema: The rules.
    ///   - input: The file. It is read several times.
    ///   - proposal: The tightest rules that the file satisfies; see ``InferenceOptions/isStrict``.
    ///   - today: The day on which dates are judged.
    ///   - options: The options with which the file will be imported.
    /// - Throws: ``/ProfileTransfer/ImportError`` if the file cannot be read, or if its columns do not match the schema.
    public init(
        of schema: ProfileSchema, by input: ImportInput, proposal: SchemaProposal, today: CalendarDay,
        options: ImportOptions
    ) async throws(ImportError) {
        let uses = ColumnUses(schema, options)
        var allowed: [FieldName: FieldRules] = [:]
        for column in proposal.columns {
            guard let rules = column.rules, case .field(let field) = uses.use(of: column.header) else { continue }
            allowed[schema.fields[field].name] = rules
        }
        var options = options
        options.isDryRun = true
        options.isAllOrNothing = false
        options.rejectLimit = nil
        var requiredFields: Set<FieldName> = [schema.primaryKey.name]
        var keyFields = requiredFields
        for key in [schema.importSettings.key, options.key] {
            let fields = uses.fields(of: key, in: schema)
            keyFields.formUnion(fields)
            if case .columns = key { requiredFields.formUnion(fields) }
        }
        var loosened = schema
        var broken: [BrokenRule] = []
        // If a value breaks a rule, some other rules are not checked. So the file is judged again by the looser rules,
        // until no more rules are loosened.
        while true {
            let report = try await ProfileImporter(schema: loosened, today: today, options: options).run(input)
            let found = Self.broken(in: report, loosened)
            let mayLoosen = found.filter {
                !(requiredFields.contains($0.field) && [.required, .duplicate].contains($0.code))
            }
            let next = loosened.loosened(
                where: Self.byField(mayLoosen, in: report, satisfied: allowed), keepingKeysOf: keyFields)
            broken += found.filter { rule in !broken.contains { $0.isSame(as: rule) } }
            guard next != loosened else {
                for rule in found where keyFields.contains(rule.field) {
                    if let index = broken.firstIndex(where: { $0.isSame(as: rule) }) { broken[index].isOfKey = true }
                }
                break
            }
            loosened = next
        }
        let validator = ProfileValidator(schema)
        keptForms = zip(schema.fields, loosened.fields).filter { !$1.storesValues(like: $0) }.map { before, _ in
            let column = proposal.columns.first { column in
                uses.use(of: column.header) == schema.index(of: before.name).map(ColumnUse.field)
            }
            for written in column?.examples ?? [] {
                if let stored = validator.storedForm(of: written, in: before.name), stored != written {
                    return KeptForm(field: before.name, written: written, stored: stored)
                }
            }
            return KeptForm(field: before.name, written: nil, stored: nil)
        }
        self.broken = broken.sorted { (schema.index(of: $0.field) ?? 0) < (schema.index(of: $1.field) ?? 0) }
        self.schema = loosened
    }

    /// Returns the rules of single fields that the rows of a report break.
    private static func broken(in report: ImportReport, _ schema: ProfileSchema) -> [BrokenRule] {
        let listed = report.issues.listed
        return report.issues.issueCounts.compactMap { count in
            guard let field = count.field.flatMap(FieldName.init), let rules = schema[field], !rules.isSecret,
                let code = IssueCode(rawValue: count.code)
            else { return nil }
            var examples: [RowIssue] = []
            for issue in listed where examples.count < mostExamples {
                guard issue.issue.field == count.field, issue.issue.code == count.code,
                    !examples.contains(where: { $0.value == issue.value })
                else { continue }
                examples.append(issue)
            }
            return BrokenRule(field: field, code: code, count: count.count, examples: examples)
        }
    }

    private static func byField(
        _ broken: [BrokenRule], in report: ImportReport, satisfied: [FieldName: FieldRules]
    ) -> [FieldName: BrokenFieldRules] {
        var fields: [FieldName: BrokenFieldRules] = [:]
        for rule in broken {
            guard let rules = satisfied[rule.field] else { continue }
            fields[rule.field, default: BrokenFieldRules(codes: [], choices: nil, satisfied: rules)].codes
                .insert(rule.code)
            if rule.code == .notAllowed { fields[rule.field]?.choices = choices(of: rule, in: report) }
        }
        return fields
    }

    /// Returns all values that are not in a field's list of allowed values; nil if there are many, or if the report
    /// does not have all of them.
    private static func choices(of rule: BrokenRule, in report: ImportReport) -> [String]? {
        let issues = report.issues.listed.filter {
            $0.issue.field == rule.field.text && $0.issue.code == rule.code.rawValue
        }
        let values = Set(issues.compactMap(\.value))
        // The report shortens long values.
        guard issues.count == rule.count, 1...mostChoices ~= values.count, values.allSatisfy({ $0.count < 200 })
        else { return nil }
        return values.sorted()
    }

    private static let mostChoices = 20
    private static let mostExamples = 3
}

extension SchemaLoosening.BrokenRule {
    fileprivate func isSame(as other: Self) -> Bool { field == other.field && code == other.code }
}

extension ProfileSchema {
    /// Returns the schema with further fields for the columns of a file that match no field. The new fields are not
    /// required, because stored profiles have no values in them.
    public func adding(columnsOf proposal: SchemaProposal, options: ImportOptions = ImportOptions()) -> ProfileSchema {
        let uses = ColumnUses(self, options)
        return adding(
            proposal.columns.filter { uses.use(of: $0.header) == .unknown }.compactMap(\.rules)
                .filter { !$0.isSecret || !hasPassword })
    }
}
