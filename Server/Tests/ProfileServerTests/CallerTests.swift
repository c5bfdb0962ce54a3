import HTTPTypes
import ProfileCore
import ProfileStore
import Testing

@testable import ProfileServer

/// H1: which kinds of callers may call each route.
@Suite(.serialized, .timeLimit(.minutes(5))) struct CallerTests {
    /// The callers that may call each route. The service does not use this table, so the test finds mistakes in the
    /// service's own one.
    private static let table: [RouteName: Set<Kind>] = {
        let anyone = Set(Kind.allCases)
        let person: Set<Kind> = [.person, .cookie]
        let read: Set<Kind> = [.read, .support, .write, .admin]
        let support: Set<Kind> = [.support, .write, .admin]
        let write: Set<Kind> = [.write, .admin]
        let admin: Set<Kind> = [.admin]
        return [
            .logIn: anyone, .redeemReset: anyone, .register: [], .getHealth: anyone, .getReadiness: anyone,
            .getDescription: anyone,
            .getOwnProfile: person, .editOwnProfile: person, .leave: person, .changeOwnPassword: person,
            .createOwnPasscode: person, .changeOwnPasscode: person, .removeOwnPasscode: person,
            .checkOwnPasscode: person, .listOwnSessions: person, .endOwnSessions: person, .endOwnSession: person,
            .listOwnDevices: person, .endOwnDevices: person, .endOwnDevice: person, .exportOwnData: person,
            .logOut: person, .validate: person, .getSchema: person.union(read),
            .listProfiles: read, .searchProfiles: read, .getProfile: read, .getHistory: read,
            .getSchemaVersion: read, .compareSchema: read, .getStatistics: read, .getMetrics: read,
            .editProfile: support, .unlockProfile: support, .issueReset: support, .listSessions: support,
            .endSessions: support,
            .createProfile: write, .removeProfile: write, .setPassword: write, .setPasscode: write,
            .removePasscode: write, .undoChange: write,
            .adoptSchema: admin, .listTokens: admin, .createToken: admin, .revokeToken: admin,
        ]
    }()

    enum Kind: CaseIterable {
        case anonymous, person, read, support, write, admin
        /// A session that has ended, and a token that was revoked.
        case expired, revoked
        /// A person with a session cookie, on a page of the service.
        case cookie
        /// A good cookie beside a wrong token.
        case cookieBesideWrongToken
        /// A token with a scope that the service does not know.
        case otherScope
    }

    @Test(arguments: RouteName.allCases)
    func `H1: every route by every kind of caller answers as the table says`(name: RouteName) async throws {
        let callers = try #require(Self.table[name])
        try await TestService.with(options: { $0.metrics = { "" } }) { test in
            for kind in Kind.allCases {
                if try await test.repository.profile(username: "ann") == nil { try await test.register("ann") }
                let headers = try await credentials(of: kind, in: test)
                let answer = try await request(name.route, headers, in: test)
                let context: Comment = "\(kind): \(answer.status) \(answer.text)"
                if callers.contains(kind) {
                    let refusals = ["no_token", "invalid_token", "not_permitted", "no_such_route", "other_site"]
                    #expect(!refusals.contains(answer.code ?? ""), context)
                } else {
                    let (status, code) = refusal(of: kind, by: name.route)
                    #expect(answer.status == status && answer.code == code, context)
                    if answer.status == .unauthorized { #expect(answer.headers[.wwwAuthenticate] != nil, context) }
                }
            }
        }
    }

    private func request(_ route: Route, _ headers: HTTPFields, in test: TestService) async throws -> TestAnswer {
        let path = route.path.text.replacing("{key}", with: "ann").replacing("{id}", with: "7")
            .replacing("{n}", with: "1").replacing("{number}", with: "1")
        return try await test.send(route.method, path, route.body == .none ? nil : "{}", headers: headers)
    }

    private func refusal(of kind: Kind, by route: Route) -> (HTTPResponse.Status, String) {
        switch kind {
        case _ where route.name == .register: (.notFound, "no_such_route")
        case .anonymous: (.unauthorized, "no_token")
        case .cookie where !route.callers.people: (.unauthorized, "no_token")
        case .expired, .revoked, .cookieBesideWrongToken: (.unauthorized, "invalid_token")
        default: (.forbidden, "not_permitted")
        }
    }

    @Test(arguments: [Audience.people, .programs])
    func `H1: a listener for people or for programs answers 404 to the routes of the others`(audience: Audience)
        async throws
    {
        try await TestService.with { test in
            try await test.register("ann")
            let session = try await test.session("ann")
            let token = try await test.token(.admin)
            let isPeople = if case .people = audience { true } else { false }
            let own = try await test.send(.get, "/v1/me", token: session, audience: audience)
            let other = try await test.send(.get, "/v1/profiles/ann", token: token, audience: audience)
            #expect(own.status == (isPeople ? .ok : .notFound))
            #expect(other.status == (isPeople ? .notFound : .ok))
            #expect(try await test.send(.get, "/healthz", audience: audience).status == .ok)
        }
    }

    @Test func `H1: a token without the scope gets 403 whether or not the name exists`() async throws {
        try await TestService.with { test in
            try await test.register("ann")
            let token = try await test.token(.read)
            let present = try await test.send(.delete, "/v1/profiles/ann", token: token, headers: [.ifMatch: "*"])
            let absent = try await test.send(.delete, "/v1/profiles/bob", token: token, headers: [.ifMatch: "*"])
            #expect(present.status == .forbidden && present.text == absent.text)
        }
    }

    private func credentials(of kind: Kind, in test: TestService) async throws -> HTTPFields {
        switch kind {
        case .anonymous: return [:]
        case .person: return [.authorization: "Bearer \(try await test.session("ann"))"]
        case .read: return [.authorization: "bearer \(try await test.token(.read))"]
        case .support: return [.authorization: "Bearer \(try await test.token(.support))"]
        case .write: return [.authorization: "Bearer \(try await test.token(.write))"]
        case .admin: return [.authorization: "Bearer \(try await test.token(.admin))"]
        case .otherScope:
            return [.authorization: "Bearer \(try await test.token(#require(AccessScope("reports"))))"]
        case .expired:
            let token = try await test.session("ann")
            _ = try await test.repository.sessions.end(for: Secret(token))
            return [.authorization: "Bearer \(token)"]
        case .revoked:
            let token = try await test.token(.admin)
            for access in try await test.repository.tokens.list() { try await test.repository.tokens.revoke(access.id) }
            return [.authorization: "Bearer \(token)"]
        case .cookie, .cookieBesideWrongToken:
            var fields: HTTPFields = [
                .cookie: "profiles-session=\(try await test.session("ann"))", .secFetchSite: "same-origin",
            ]
            if kind == .cookieBesideWrongToken {
                fields[.authorization] = "Bearer ps_\(String(repeating: "x", count: 43))"
            }
            return fields
        }
    }
}
