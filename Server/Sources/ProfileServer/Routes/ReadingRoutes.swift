internal import HTTPTypes
internal import ProfileCore
internal import ProfileStore

// Routes of programs that read.
extension Route {
    static let listProfiles = Route(
        name: .listProfiles, method: .get, path: PathTemplate("/v1/profiles"), callers: .programs(.read),
        summary: "Profiles by conditions, page by page. URLs are written to logs: send personal data to /v1/search.",
        query: [
            .init(name: "where", isRepeatable: true, summary: "A condition such as age>=30. All must hold."),
            .init(name: "any", isRepeatable: true, summary: "A condition of which one must hold."),
            .init(name: "q", summary: "A text anywhere in a value."),
            .init(name: "status", summary: "valid, invalid or unjudged."),
            .init(name: "sort", isRepeatable: true, summary: "A field, and :desc for the descending order."),
            .init(name: "limit", isNumber: true, summary: "The number of profiles of a page."),
            .init(name: "after", summary: "The cursor of the page, from the answer before."),
        ],
        answers: [.init(.ok, .page, headers: [.link], "A page.")], problems: [.serviceUnavailable]
    ) { call in
        let query = try ProfileQuery(parameters: call.query, mostLimit: call.service.options.pageLimit)
        let page = try await call.page(of: query)
        var headers: HTTPFields = [:]
        if let next = page.next {
            let pairs = call.query.filter { $0.name != "after" } + [("after", next.description)]
            let text = pairs.map { "\(PercentEncoding.encode($0.name))=\(PercentEncoding.encode($0.value))" }
            headers[values: .link] = ["</v1/profiles?\(text.joined(separator: "&"))>; rel=\"next\""]
        }
        return .json(page.json, headers: headers)
    }

    static let searchProfiles = Route(
        name: .searchProfiles, method: .post, path: PathTemplate("/v1/search"), callers: .programs(.read),
        summary: "Profiles by a query in JSON, so that no value stands in a URL.", body: .json(.query),
        answers: [.init(.ok, .page, "A page.")], problems: [.badRequest, .serviceUnavailable]
    ) { call in
        var query = try ProfileQuery(call.body)
        query.limit = min(query.limit, call.service.options.pageLimit)
        return .json(try await call.page(of: query).json)
    }

    static let getProfile = Route(
        name: .getProfile, method: .get, path: PathTemplate("/v1/profiles/{key}"), callers: .programs(.read),
        summary: "One profile.", answers: [.init(.ok, .profile, headers: [.etag], "The profile.")]
    ) { call in .profile(try await call.profile, for: call.caller) }

    static let getHistory = Route(
        name: .getHistory, method: .get, path: PathTemplate("/v1/profiles/{key}/history"), callers: .programs(.read),
        summary: "The changes of a profile, newest first. A removed profile is found too.",
        answers: [.init(.ok, .history, "The history.")]
    ) { call in
        let entries: [HistoryEntry]?
        switch call.parameters.profile {
        case .name(let name)?: entries = try await call.repository.history(of: name)
        case .id(let id?)?: entries = try await call.repository.history(ofID: id)
        case .id(nil)?, nil: entries = nil
        }
        guard let entries, !entries.isEmpty else { throw Problem.noSuchProfile }
        return .json(["entries": .array(entries.map(\.json))])
    }

    static let getSchema = Route(
        name: .getSchema, method: .get, path: PathTemplate("/v1/schema"),
        callers: Callers(anyone: .withOpenRegistration, people: true, programs: .read),
        summary: "The rules in force. People do not see hidden fields.",
        answers: [.init(.ok, .schema, headers: [.etag], "The schema.")]
    ) { call in
        let version = call.repository.rules.inForce
        if case .program = call.caller { return .schema(version) }
        return .json(version.schema.forOwner.json, headers: [.eTag: version.entityTag])
    }

    static let getSchemaVersion = Route(
        name: .getSchemaVersion, method: .get, path: PathTemplate("/v1/schema/versions/{n}"), callers: .programs(.read),
        summary: "The rules of a version.", answers: [.init(.ok, .schema, headers: [.etag], "The schema.")]
    ) { call in
        let versions = try await call.repository.rules.versions()
        guard let version = versions.first(where: { String($0.number) == call.parameters["n"] }) else {
            throw Problem.noSuchItem
        }
        return .schema(version)
    }

    static let compareSchema = Route(
        name: .compareSchema, method: .post, path: PathTemplate("/v1/schema/difference"), callers: .programs(.read),
        summary: "What a schema would change. Nothing is stored.", body: .json(.schema),
        answers: [.init(.ok, .difference, "The difference.")]
    ) { call in
        let schema = try ProfileSchema(parsing: call.body.text())
        return .json(SchemaDifference(from: call.repository.schema, to: schema).json)
    }

    static let getStatistics = Route(
        name: .getStatistics, method: .get, path: PathTemplate("/v1/statistics"), callers: .programs(.read),
        summary: "Counts and sizes of the store.", answers: [.init(.ok, .statistics, "The statistics.")],
        problems: [.serviceUnavailable]
    ) { call in
        let repository = call.repository
        return .json(try await call.service.scans.scan { try await repository.statistics() }.json)
    }

    static let getMetrics = Route(
        name: .getMetrics, method: .get, path: PathTemplate("/metrics"), callers: .programs(.read),
        summary: "Metrics of the process for Prometheus.",
        answers: [.init(.ok, mediaType: "text/plain; version=0.0.4; charset=utf-8", "The metrics.")]
    ) { call in
        guard let metrics = call.service.options.metrics else { throw Problem.noSuchRoute }
        var answer = Answer(body: Array(metrics().utf8))
        answer.headers[.contentType] = "text/plain; version=0.0.4; charset=utf-8"
        return answer
    }
}

extension Call {
    /// Reads a page. If the store uses no index for the query, ``ScanLimiter`` limits the search.
    fileprivate func page(of query: ProfileQuery) async throws -> ProfilePage {
        let repository = repository
        guard case .everything = try await repository.plan(of: query) else {
            return try await repository.profiles(query)
        }
        return try await service.scans.scan { try await repository.profiles(query) }
    }
}

extension SchemaVersion {
    /// The ETag of the version. A request that adopts new rules sends it in `If-Match` to name the version to replace.
    var entityTag: String { "\"schema-\(number)\"" }
}

extension Answer {
    /// The rules of a version, as a Table Schema.
    static func schema(_ version: SchemaVersion, _ status: HTTPResponse.Status = .ok) -> Answer {
        .json(version.schema.json, status, headers: [.eTag: version.entityTag])
    }
}
