/// The measurement of one call that computes or verifies a hash. Failed calls are measured too.
package struct HashingWork: Sendable {
    /// Whether the call verified a secret, even if the user had no hash to compare.
    package let isVerification: Bool
    /// The result of the call. For a verification, the value is true if the secret was right. For a call that computes
    /// a hash, the value is always true.
    package let outcome: Result<Bool, HashingError>
    package let duration: Duration
    /// The time that the call waited for a thread. This time is a part of `duration`.
    package let waited: Duration
}
