internal import ArgumentParser
internal import ProfileCore
internal import ProfileStore
internal import TextLayout

/// A subcommand that asks for profiles and shows those that there are.
protocol QueryCommand: AsynchronousCommand, StoreUsing {
    var conditions: ConditionOptions { get }
    var page: PageOptions { get }
    var listing: ListingOptions { get }
}

extension QueryCommand {
    /// What is asked for, by rules in force: by conditions that are told in another way too, by what stands in any field, and
    /// in an order where no other one is told. It throws where a field is not there, or is secret.
    func query(
        _ others: [Assignment] = [], text: String? = nil, order: ProfileQuery.Order? = nil, in schema: ProfileSchema
    ) throws(CommandFailure) -> ProfileQuery {
        let order = try page.order(in: schema) ?? order
        guard page.cursor.map({ $0.isPlace(in: order) }) ?? true else {
            throw CommandFailure(.usage, "--after goes on in the order of the page before: give the same --sort")
        }
        return ProfileQuery(
            try conditions.conditions(others, in: schema), text: text, status: conditions.status, order: order,
            limit: page.limit, after: page.cursor)
    }

    /// Whether a query may have to wait on another thread: it reads more than a page that an index finds.
    func needsThreads(_ others: [Assignment] = []) -> Bool {
        if listing.explain { return false }
        if listing.count { return true }
        if conditions.isEmpty, others.isEmpty { return page.sort != nil && page.sort != FieldName.username.text }
        return !conditions.leaveFewProfiles(others, inOrder: page.sort != nil)
    }

    /// Shows what a query finds, or what else is asked about it.
    ///
    /// - Returns: Whether it finds anything; true where nobody has looked.
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

    /// Shows a page that has no profile.
    func showNone(of repository: ProfileRepository) throws {
        if listing.count { return try answer("0", ["count": 0]) }
        var shown = try ProfileListing(ProfileQuery(), of: repository.schema, as: listing)
        try shown.end(nil, unjudged: nil)
    }

    /// Shows what a query finds, and says how much that was; on request a profile that is the only one by itself. Profiles
    /// are read a few at a time, so that their number and length do not matter.
    private func show(
        _ query: ProfileQuery, of repository: ProfileRepository, onlyOneInFull inFull: Bool
    ) async throws -> Int {
        var shown = try ProfileListing(query, of: repository.schema, as: listing)
        var last: Profile?
        var next: ProfileCursor?
        // One more tells whether there is another page. Where an index serves, short pages need no other thread; where none
        // does, each page reads every profile.
        var pages = query
        pages.limit += 1
        if pages.limit > 1_000, try await repository.plan(of: query) != .everything { pages.limit = 1_000 }
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
        case .json: try Output.standard.print(json.text(indented: true))
        case .ndjson: try Output.standard.print(json.text())
        case .text, .csv, .tsv: try Output.standard.print(text)
        }
    }
}

extension Int {
    /// So many profiles that the rules in force have not judged yet, and what to do about it.
    var unjudgedProfiles: String {
        let subject = self == 1 ? "1 profile is" : "\(grouped) profiles are"
        return "\(subject) not marked by the rules in force yet: mark with \"profiles revalidate\"."
    }
}

extension QueryPlan {
    /// How the store goes about a query, in a sentence.
    fileprivate func text(of query: ProfileQuery) -> String {
        switch self {
        case .everything: return "No index serves: every profile may be read."
        case .index(let fields) where fields.isEmpty && query.status == .invalid:
            return "The index of invalid profiles serves: no other is read."
        case .index(let fields) where fields.isEmpty:
            return "The order in which profiles came serves: no more are read than are shown."
        case .index(let fields):
            let names = fields.map(\.text).joined(separator: " and ")
            return "The index of \(names) serves: only what it finds is read."
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
