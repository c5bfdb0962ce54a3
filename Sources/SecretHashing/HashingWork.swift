/// A hash that was computed, compared, or neither, for those who measure.
package struct HashingWork: Sendable {
    /// Whether a secret was compared with a hash.
    package let isVerification: Bool
    /// Whether the secret was right, where it was compared.
    package let outcome: Result<Bool, HashingError>
    package let duration: Duration
    /// How much of that it waited for a thread.
    package let waited: Duration
}
