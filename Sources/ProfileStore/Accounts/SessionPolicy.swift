/// How long sessions last, and how many somebody may have.
public struct SessionPolicy: Hashable, Sendable {
    /// A session that is not used for so long ends, or up to a tenth of it, and a minute at the most, sooner: last use is
    /// not written down with each request.
    public let idleTime: Duration
    /// A session ends so long after it was started, however often it is used.
    public let lifetime: Duration
    /// Most sessions of one profile; a further one ends that which was used least lately.
    public let mostOfProfile: Int

    /// An hour without use, a day altogether (NIST SP 800-63B-4, section 2.2.3), and 100 sessions a profile.
    public static let standard = SessionPolicy()

    /// Names a policy. Times are in whole milliseconds, from a second to ten years, and no idle time is longer than the
    /// lifetime; what is out of bounds is mended.
    public init(idleTime: Duration = .seconds(3_600), lifetime: Duration = .seconds(86_400), mostOfProfile: Int = 100) {
        self.lifetime = min(max(lifetime, .seconds(1)), .seconds(315_360_000))
        self.idleTime = min(max(idleTime, .seconds(1)), self.lifetime)
        self.mostOfProfile = min(max(mostOfProfile, 1), 10_000)
    }
}
