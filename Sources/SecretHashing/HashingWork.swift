/// A measurement of one hash: its computation or its comparison, also if it failed.
package struct HashingWork: Sendable {
    /// Whether a secret was compared with a hash.
    package let isVerification: Bool
    /// Whether the secret was right, if it was compared.
    package let outcome: Result<Bool, HashingError>
    package let duration: Duration
    /// The part of the duration that was spent waiting for a thread.
    package let waited: Duration
}
