/// The callers whom a route serves.
struct Callers: Sendable, Hashable {
    /// Whether the route serves callers without credentials.
    var anyone: Anyone = .never
    /// Whether the route serves people, who present the token of a session.
    var people = false
    /// The level that a program's access token needs; nil if the route serves no programs.
    var programs: AccessLevel?

    enum Anyone: Sendable, Hashable {
        case never
        /// Only if the service lets anybody register.
        case withOpenRegistration
        case always
    }

    static let anyone = Callers(anyone: .always)
    static let people = Callers(people: true)
    static func programs(_ level: AccessLevel) -> Callers { Callers(programs: level) }

    /// Whether the route exists for the callers of a listener.
    func areServed(to audience: Audience) -> Bool {
        switch audience {
        case .everyone: true
        case .people: anyone != .never || people
        case .programs: anyone == .always || programs != nil
        }
    }
}
