/// The number of failed attempts to use one credential, and the rule that delays further attempts (P9).
///
/// NIST SP 800-63B, section 5.2.2, requires a limit of 100 consecutive failures and suggests a growing delay. The first
/// five consecutive attempts have no delay. The delays of further attempts are 1 s, 2 s, 4 s … up to 15 minutes. After
/// a hundred attempts, only the owner of the store can unlock the credential.
///
/// An attempt counts as a failure **before** its hash is computed, and `succeeded()` resets the count. So concurrent
/// attempts cannot exceed the limit. First call `admit(at:)` and store the state in one transaction. Then compute the
/// hash. If the secret was right, call `succeeded()` and store the state.
public struct ThrottleState: Sendable, Equatable {
    /// The number of consecutive attempts without success. An attempt is also counted while its hash is computed.
    public private(set) var failures: Int
    /// No attempt is admitted before this Unix time in milliseconds.
    public private(set) var blockedUntil: Int64

    /// Restores a state, or creates a new one.
    public init(failures: Int = 0, blockedUntil: Int64 = 0) {
        self.failures = min(max(failures, 0), Self.maximumFailures)
        self.blockedUntil = blockedUntil
    }

    /// The number of consecutive attempts without delay.
    public static let freeAttempts = 5
    /// The number of consecutive attempts after which the credential is locked.
    public static let maximumFailures = 100
    /// The longest delay, 15 minutes, in milliseconds.
    public static let longestDelay: Int64 = 15 * 60 * 1000

    /// The answer to an attempt.
    public enum Decision: Sendable, Equatable {
        /// Compute the hash. The attempt is counted.
        case admitted
        /// Too early: do not compute the hash. Try again after this number of milliseconds.
        case wait(milliseconds: Int64)
        /// Too many failures: do not compute the hash. Only the owner of the store can unlock the credential.
        case locked
    }

    /// Admits and counts an attempt, or returns the time to wait.
    ///
    /// The caller must store the state after every call, even if the attempt is not admitted. The reason: if the clock
    /// was set back, this method shortens a delay that has become too long.
    ///
    /// - Parameter now: The Unix time in milliseconds.
    /// - Returns: Whether the hash may be computed.
    public mutating func admit(at now: Int64) -> Decision {
        guard failures < Self.maximumFailures else { return .locked }
        // The remaining delay is at most the full delay. Without this limit, the remaining delay would be too long if
        // the clock was ahead when the delay began.
        blockedUntil = min(blockedUntil, now.addingClamped(delay))
        guard blockedUntil <= now else { return .wait(milliseconds: blockedUntil.subtractingClamped(now)) }
        failures += 1
        blockedUntil = now.addingClamped(delay)
        return .admitted
    }

    /// Withdraws an admitted attempt if its hash was never computed, for example because too many calls were waiting.
    public mutating func withdraw() {
        failures = max(failures - 1, 0)
        if failures < Self.freeAttempts { blockedUntil = 0 }
    }

    /// Combines two states: returns the greater number of failures and the later end of the delay.
    package func stricter(or other: ThrottleState) -> ThrottleState {
        ThrottleState(
            failures: max(failures, other.failures), blockedUntil: max(blockedUntil, other.blockedUntil))
    }

    /// Forgets all failures after a success or an unlock.
    public mutating func succeeded() {
        self = ThrottleState()
    }

    /// The delay after the latest failure, in milliseconds.
    private var delay: Int64 {
        let doublings = failures - Self.freeAttempts
        guard doublings >= 0 else { return 0 }
        // Ten doublings are enough, because 2¹⁰ seconds are longer than the longest delay.
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
