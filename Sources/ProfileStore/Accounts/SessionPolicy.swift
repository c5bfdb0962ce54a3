/// The maximum age and idle time of sessions, and the maximum number of sessions of a profile.
public struct SessionPolicy: Hashable, Sendable {
    /// If a session is not used for this time, it ends. It may end earlier by at most one minute and by at most a tenth
    /// of this time, because not every use is written to the store.
    public let idleTime: Duration
    /// The maximum time from the start of a session to its end. A use of the session does not extend this time.
    public let lifetime: Duration
    /// The maximum number of sessions of one profile. If a profile starts one more session, its least recently used
    /// session ends.
    public let mostOfProfile: Int

    /// An idle time of one hour, a lifetime of one day (NIST SP 800-63B-4, section 2.2.3), and 100 sessions for each
    /// profile.
    public static let standard = SessionPolicy()

    /// Creates a policy. Each time must be between one second and ten years. The idle time must not be longer than the
    /// lifetime. The number of sessions must be between 1 and 10,000. If a value is out of its bounds, the nearest
    /// bound is used. Fractions of a millisecond have no effect.
    public init(idleTime: Duration = .seconds(3_600), lifetime: Duration = .seconds(86_400), mostOfProfile: Int = 100) {
        self.lifetime = min(max(lifetime, .seconds(1)), .seconds(315_360_000))
        self.idleTime = min(max(idleTime, .seconds(1)), self.lifetime)
        self.mostOfProfile = min(max(mostOfProfile, 1), 10_000)
    }
}
