/// What is remembered of the failed attempts at one credential, and the rule that slows them down (P9).
///
/// NIST SP 800-63B, section 5.2.2, wants no more than 100 consecutive failures and suggests a growing delay. Here five
/// attempts in a row are free; each further one waits 1 s, 2 s, 4 s … up to 15 minutes; after a hundred only the owner
/// can unlock.
///
/// An attempt is counted as a failure **before** its hash is computed, and taken back by `succeeded()`: a hundred
/// attempts at once are a hundred attempts. So the order is: `admit` and store the state in one transaction, hash,
/// and store `succeeded()` if it was right.
public struct ThrottleState: Sendable, Equatable {
    /// Attempts in a row that did not succeed, those under way included.
    public private(set) var failures: Int
    /// Unix time in milliseconds before which no attempt is admitted.
    public private(set) var blockedUntil: Int64

    /// Restores a state, or begins a fresh one.
    public init(failures: Int = 0, blockedUntil: Int64 = 0) {
        self.failures = min(max(failures, 0), Self.maximumFailures)
        self.blockedUntil = blockedUntil
    }

    /// Attempts in a row that are free of delay.
    public static let freeAttempts = 5
    /// Attempts in a row after which nothing but an unlock helps.
    public static let maximumFailures = 100
    /// The longest delay, 15 minutes, in milliseconds.
    public static let longestDelay: Int64 = 15 * 60 * 1000

    /// The answer to an attempt.
    public enum Decision: Sendable, Equatable {
        /// Go on and hash; the attempt is counted.
        case admitted
        /// Too early: do not hash, and try again after so many milliseconds.
        case wait(milliseconds: Int64)
        /// Too many failures: do not hash, only the owner's unlock helps.
        case locked
    }

    /// Admits an attempt and counts it, or says how long to wait.
    ///
    /// The state must be stored whatever the answer is: a clock that was set back is mended in it.
    ///
    /// - Parameter now: Unix time in milliseconds.
    /// - Returns: whether the hash may be computed.
    public mutating func admit(at now: Int64) -> Decision {
        guard failures < Self.maximumFailures else { return .locked }
        // No delay ends later than a whole one from now, wherever the clock has been in the meantime.
        blockedUntil = min(blockedUntil, now.addingClamped(delay))
        guard blockedUntil <= now else { return .wait(milliseconds: blockedUntil.subtractingClamped(now)) }
        failures += 1
        blockedUntil = now.addingClamped(delay)
        return .admitted
    }

    /// Takes back an attempt that was admitted but whose hash was never computed, since too many were waiting.
    public mutating func withdraw() {
        failures = max(failures - 1, 0)
        if failures < Self.freeAttempts { blockedUntil = 0 }
    }

    /// Forgets all failures, after a success or an unlock.
    public mutating func succeeded() {
        self = ThrottleState()
    }

    /// What follows the latest failure, in milliseconds.
    private var delay: Int64 {
        let doublings = failures - Self.freeAttempts
        guard doublings >= 0 else { return 0 }
        // 2¹⁰ seconds exceed the cap.
        return min(1000 << Int64(min(doublings, 10)), Self.longestDelay)
    }
}

extension Int64 {
    fileprivate func addingClamped(_ other: Int64) -> Int64 {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? (other < 0 ? .min : .max) : sum
    }

    fileprivate func subtractingClamped(_ other: Int64) -> Int64 {
        let (difference, overflow) = subtractingReportingOverflow(other)
        return overflow ? (other < 0 ? .max : .min) : difference
    }
}
