public import ProfileCore

/// The reason why a hash could not be computed or verified. The error reveals nothing about the secret.
public enum HashingError: Error, Hashable, Sendable {
    /// Too many hashes are waiting already; try again later.
    case busy
    /// The task was cancelled before its hash was begun.
    case cancelled
    /// The system has no memory for the hash.
    case outOfMemory
    /// No thread could be started; `code` is the result of `pthread_create`.
    case noThread(code: Int32)
    /// libsodium could not be initialised.
    case unavailable
    /// The library for this scheme cannot verify the hash.
    case unverifiable(PasswordHash.Scheme)
}
