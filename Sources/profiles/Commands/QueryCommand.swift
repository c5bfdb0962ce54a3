internal import ArgumentParser
internal import ProfileCore
internal import ProfileStore
internal import TextLayout

/// A subcommand that works on the profiles that meet conditions.
protocol ConditionUsing: StoreUsing {
    var conditions: ConditionOptions { get }
}

/// A subcommand that queries profiles and shows them.
protocol QueryCommand: AsynchronousCommand, ConditionUsing {
    var order: OrderOptions { get }
    var page: PageOptions { get }
    var listing: ListingOptions { get }
}

extension ConditionUsing {
    /// Returns the conditions of the options. Writes a note if their effect may surprise the user.
    func notedConditions(
        _ others: [Assignment] = [], in schema: ProfileSchema
    ) throws(CommandFailure) -> [ProfileQuery.Condition] {
        let conditions = try self.conditions.conditions(others, in: schema)
        noteComparedTexts(conditions, in: schema)
        noteHiddenFields(in: schema)
        return conditions
    }

    /// Says once that `<`, `<=`, `>` and `>=` compare the values of text fields as texts.
    private func noteComparedTexts(_ conditions: [ProfileQuery.Condition], in schema: ProfileSchema) {
        let names = conditions.compactMap { condition in
            condition.comparison.isOrdered && schema[condition.field]?.type == .string ? condition.field.text : nil
        }
        guard let first = names.first else { return }
        let isOne = Set(names).count == 1
        let fields = isOne ? "the field \(first)" : "the fields \(CommandFailure.list(Set(names).sorted()))"
        note(
            "Values of \(fields) are compared as texts: \"10\" comes before \"9\". To compare numbers, change the type "
                + "to integer or number in the schema.")
    }

    /// Writes a note if a name in the conditions is the name of a fact, such as `_id`, and also the title or header of
    /// a field. The user may mean the field, but the condition uses the fact.
    private func noteHiddenFields(in schema: ProfileSchema) {
        for name in Set(conditions.names).sorted() {
            let fields = schema.fieldsHidden(byFact: name)
            guard !fields.isEmpty else { continue }
            note("\(name) is kept by the store. The field with this title or header is \(CommandFailure.list(fields)).")
        }
    }
}

extension QueryCommand {
    /// Makes the query that the options describe.
    ///
    /// - Parameters:
    ///   - others: Conditions from other options.
    ///   - text: A text to find in any field.
    ///   - order: The order if `--sort` is not given.
    ///   - schema: The rules in force.
    /// - Returns: The query.
    /// - Throws: A failure if a field does not exist or is secret, or if the cursor of `--after` belongs to a query
    ///   with another order.
    func query(
        _ others: [Assignment] = [], text: String? = nil, order: ProfileQuery.Order? = nil, in schema: ProfileSchema
    ) throws(CommandFailure) -> ProfileQuery {
        let order = try self.order.order(in: schema) ?? order
        guard page.cursor.map({ $0.renamed(by: schema).isPlace(in: order) }) ?? true else {
            throw CommandFailure(.usage, "--after continues in the order of the previous page: give the same --sort")
        }
        return ProfileQuery(
            try notedConditions(others, in: schema), joinsByOr: conditions.joinsByOr, text: text,
            status: conditions.status, order: order, limit: page.limit, after: page.cursor)
    }

    /// Whether a single read of the store is enough for the query. If several reads are needed, the program that reads
    /// the output may be slow between two reads. The time limit of `--wait` must not include this time.
    var isOnePage: Bool { listing.count || listing.explain || page.limit < mostOfOnePage }

    /// The maximum number of profiles that a single read with an index returns.
    private var mostOfOnePage: Int { 1_000 }

    /// Whether a query may need another thread. A query that only reads one page with an index needs no other thread.
    func needsThreads(_ others: [Assignment] = []) -> Bool {
        if listing.explain { return false }
        if listing.count { return true }
        let sorts = order.sorts.map(\.field)
        if conditions.isEmpty, others.isEmpty { return !sorts.isEmpty && sorts != [FieldName.username.text] }
        return !conditions.leaveFewProfiles(others, inOrder: !sorts.isEmpty)
    }

    /// Shows the result of a query, or the answer of `--count` or `--explain`.
    ///
    /// - Returns: Whether the query finds anything. True for `--explain`, which does not run the query.
    func answer(
        _ query: ProfileQuery, of repository: ProfileRepository, onlyOneInFull: Bool = false
    ) async throws -> Bool {
        if listing.explain {
            try explain(try await repository.plan(of: query), of: query)
            return true
        }
        if listing.count {
            let count = try await repository.count(query)
            try answer(String(count), ["count": .number(count)])
            return count > 0
        }
        return try await show(query, of: repository, onlyOneInFull: onlyOneInFull) > 0
    }

    /// Shows an empty result.
    func showNone(of repository: ProfileRepository) throws {
        if listing.count { return try answer("0", ["count": 0]) }
        var shown = try ProfileListing(ProfileQuery(), of: repository.schema, as: listing)
        try shown.end(nil, unjudged: nil)
    }

    /// Shows the profiles that a query finds, and returns their number. If `inFull` is true and the query finds one
    /// profile, this profile is shown in full. Profiles are always read a few at a time, because there may be many
    /// profiles, and profiles may be long.
    private func show(
        _ query: ProfileQuery, of repository: ProfileRepository, onlyOneInFull inFull: Bool
    ) async throws -> Int {
        var shown = try ProfileListing(query, of: repository.schema, as: listing)
        var last: Profile?
        var next: ProfileCursor?
        // The query reads one more profile than the limit. If this profile exists, there is another page. If there is
        // an index, the query is split into short reads, because a short read needs no other thread. If there is no
        // index, the query is not split, because each read would examine every profile.
        var pages = query
        pages.limit += 1
        if pages.limit > mostOfOnePage, try await repository.plan(of: query) != .everything {
            pages.limit = mostOfOnePage
        }
        for try await profile in repository.all(pages) {
            if shown.count == query.limit {
                next = last.map(query.cursor(at:))
                break
            }
            try shown.add(profile)
            last = profile
        }
        let unjudged = query.status == .invalid ? try await repository.rules.countUnjudged() : nil
        if let only = last, inFull, shown.isTable, shown.count == 1, next == nil, listing.columns == nil {
            try Pager.show(only.text, isWanted: !listing.noPager)
        } else {
            let fallen = try shown.end(next, unjudged: unjudged)
            if !fallen.isEmpty { noteNoRoom(for: fallen) }
        }
        guard listing.format != .json else { return shown.count }
        if let next { note("More: --after \(next)") }
        if let unjudged, unjudged > 0 { note(unjudged.unjudgedProfiles) }
        return shown.count
    }

    private func noteNoRoom(for columns: [String]) {
        let text = "No room for \(CommandFailure.list(columns)): choose with --columns, or see all with --expanded."
        for line in text.wrapped(to: Output.error.windowSize?.columns ?? .max) { note(line) }
    }

    private func explain(_ plan: QueryPlan, of query: ProfileQuery) throws(CommandFailure) {
        try answer(plan.text(of: query), plan.json(of: query))
    }

    private func answer(_ text: String, _ json: JSONValue) throws(CommandFailure) {
        switch listing.format {
        case .json: try Output.standard.print(json)
        case .ndjson: try Output.standard.print(json.text())
        case .text, .csv, .tsv: try Output.standard.print(text)
        }
    }
}

extension Int {
    /// A sentence about the profiles that were not yet validated by the rules in force. It gives their number and says
    /// what to do.
    var unjudgedProfiles: String {
        let subject = self == 1 ? "1 profile was" : "\(grouped) profiles were"
        return "\(subject) not yet validated by the rules in force: run \"profiles revalidate\"."
    }
}

extension QueryPlan {
    /// A sentence that describes how the store runs a query.
    fileprivate func text(of query: ProfileQuery) -> String {
        switch self {
        case .everything: return "No index can be used: every profile may be read."
        case .index(let fields) where fields.isEmpty && query.status == .invalid:
            return "The index of invalid profiles is used: no other profile is read."
        case .index(let fields) where fields.isEmpty:
            return "The order in which profiles were stored is used: only the profiles that are shown are read."
        case .index(let fields):
            let names = fields.map(\.text).joined(separator: " and ")
            return "The index of \(names) is used: only profiles that it finds are read."
        }
    }

    /// `{"plan","fields","text"}`.
    fileprivate func json(of query: ProfileQuery) -> JSONValue {
        let (plan, fields): (JSONValue, [FieldName]) =
            switch self {
            case .index(let fields): ("index", fields)
            case .everything: ("everything", [])
            }
        return [
            "plan": plan, "fields": .array(fields.map { .string($0.text) }), "text": .string(text(of: query)),
        ]
    }
}

extension ProfileQuery.Comparison {
    /// Whether the comparison uses the sort order of the field.
    fileprivate var isOrdered: Bool {
        switch self {
        case .isLess, .isAtMost, .isGreater, .isAtLeast: true
        default: false
        }
    }
}
