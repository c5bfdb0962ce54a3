public import ProfileCore
internal import ProfileStore
public import ProfileTransfer

/// The rules of a schema that a file breaks, and looser rules that the file satisfies (N12).
public struct SchemaLoosening: Sendable {
    /// The rules that the file breaks, in the order of the fields.
    public let broken: [BrokenRule]
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
        var keyFields: Set<FieldName> = [schema.primaryKey.name]
        if case .columns(let headers) = schema.importSettings.key {
            for header in headers {
                if case .field(let field) = uses.use(of: header) { keyFields.insert(schema.fields[field].name) }
            }
        }
        var loosened = schema
        var broken: [BrokenRule] = []
        // A value that breaks one rule is not judged by some others. So the file is judged again by the looser rules,
        // until they stay the same.
        while true {
            let report = try await ProfileImporter(schema: loosened, today: today, options: options).run(input)
            let found = Self.broken(in: report, loosened, keyFields)
            let next = loosened.loosened(where: Self.byField(found, in: report, satisfied: allowed))
            broken += found.filter { rule in !broken.contains { $0.field == rule.field && $0.code == rule.code } }
            guard next != loosened else { break }
            loosened = next
        }
        self.broken = broken.sorted { (schema.index(of: $0.field) ?? 0) < (schema.index(of: $1.field) ?? 0) }
        self.schema = loosened
    }

    /// Returns the rules of a report that a looser schema could change. A row without a key, or with a repeated key,
    /// breaks no rule that can be loosened.
    private static func broken(
        in report: ImportReport, _ schema: ProfileSchema, _ keyFields: Set<FieldName>
    ) -> [BrokenRule] {
        let listed = report.issues.listed
        return report.issues.issueCounts.compactMap { count in
            guard let field = count.field.flatMap(FieldName.init), let rules = schema[field], !rules.isSecret,
                let code = IssueCode(rawValue: count.code),
                !(keyFields.contains(field) && [.required, .duplicate].contains(code))
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
