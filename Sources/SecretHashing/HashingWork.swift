/// The measurement of one call that computes or verifies a hash, whether the call succeeded or failed.
package struct HashingWork: Sendable {
    /// Whether a secret was compared with a hash.
    package let isVerification: Bool
    /// The result of the call. After a verification, the value is whether the secret was right. Otherwise it is true.
    package let outcome: Result<Bool, HashingError>
    package let duration: Duration
    /// The part of the duration that was spent waiting for a thread.
    package let waited: Duration
}
