internal import HTTPTypes
internal import ProfileCore
internal import ProfileStore

/// The sender of a request.
enum Caller: Sendable {
    case anonymous
    /// A person, by the token or the cookie of the session.
    case person(LoginSession, isByCookie: Bool)
    /// A program, with the level of its token; nil if no scope of the token belongs to a level.
    case program(AccessToken, AccessLevel?)

    var isPerson: Bool {
        if case .person = self { true } else { false }
    }

    /// The author of the caller's changes.
    var author: Author? {
        switch self {
        case .anonymous: nil
        case .person(let session, _): Author("profile \(session.profileID)")
        case .program(let token, _): Author(fitting: token.name.text)
        }
    }

    /// A unique identifier of the caller, which contains no person's name. Nil for an anonymous caller.
    var identity: String? {
        switch self {
        case .anonymous: nil
        case .person(let session, _): "profile \(session.profileID)"
        case .program(let token, _): "token \(token.id)"
        }
    }
}

extension Callers {
    /// Returns the caller of a request if the route serves it.
    ///
    /// If the header `Authorization` is sent, only it counts: a wrong token is refused even if a valid cookie is there.
    func admit(
        _ headers: HTTPFields, cookies: @autoclosure () -> CookieNames?, opensRegistration: Bool,
        _ repository: ProfileRepository
    ) async throws -> Caller {
        let servesAnyone = anyone == .always || (anyone == .withOpenRegistration && opensRegistration)
        if !people, programs == nil {
            guard servesAnyone else { throw Problem.noSuchRoute }
            return .anonymous
        }
        let fields = headers[values: .authorization]
        let caller: Caller
        if !fields.isEmpty {
            guard fields.count == 1, let token = Self.bearerToken(fields[0]) else { throw Problem.invalidToken }
            switch try await repository.bearer(token) {
            case .session(let session)?: caller = .person(session, isByCookie: false)
            case .access(let access)?: caller = .program(access, AccessLevel(access.scopes))
            case nil: throw Problem.invalidToken
            }
        } else if people, let text = cookies()?.session(in: headers) {
            guard let session = try await repository.sessions.find(Secret(text)) else { throw Problem.invalidToken }
            caller = .person(session, isByCookie: true)
        } else {
            guard servesAnyone else { throw Problem.noToken }
            return .anonymous
        }
        switch caller {
        case .anonymous: return caller
        case .person: guard people else { throw Problem.notPermitted }
        case .program(_, let level):
            guard let programs, let level, level >= programs else { throw Problem.notPermitted }
        }
        return caller
    }

    /// Reads `Bearer TOKEN` (RFC 6750); the word is compared without case.
    static func bearerToken(_ field: String) -> Secret? {
        let space = UInt8(ascii: " ")
        guard let end = field.utf8.firstIndex(of: space), field[..<end].lowercased() == "bearer" else { return nil }
        let token = field[field.utf8.index(after: end)...]
        return token.isEmpty ? nil : Secret(String(token))
    }
}
