/// The maximum age and idle time of sessions, and the maximum number of sessions of a profile.
public struct SessionPolicy: Hashable, Sendable {
    /// The time without use after which a session ends. The session may end earlier by up to a tenth of this time, at
    /// most a minute, because not every use is written.
    public let idleTime: Duration
    /// The maximum time from the start of a session to its end. A use of the session does not extend this time.
    public let lifetime: Duration
    /// The maximum number of sessions of one profile. A further session ends the least recently used one.
    public let mostOfProfile: Int

    /// An idle time of one hour, a lifetime of one day (NIST SP 800-63B-4, section 2.2.3), and 100 sessions for each
    /// profile.
    public static let standard = SessionPolicy()

    /// Creates a policy. Both times are from one second to ten years, and the idle time is at most the lifetime. The
    /// number of sessions is from 1 to 10,000. Values out of these bounds are set to the nearest bound. Fractions of a
    /// millisecond have no effect.
    public init(idleTime: Duration = .seconds(3_600), lifetime: Duration = .seconds(86_400), mostOfProfile: Int = 100) {
        self.lifetime = min(max(lifetime, .seconds(1)), .seconds(315_360_000))
        self.idleTime = min(max(idleTime, .seconds(1)), self.lifetime)
        self.mostOfProfile = min(max(mostOfProfile, 1), 10_000)
    }
}
