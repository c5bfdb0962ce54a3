public import ProfileCore

/// Why a hash was neither made nor verified; it says nothing about the secret.
public enum HashingError: Error, Hashable, Sendable {
    /// Too many hashes are waiting already; try again later.
    case busy
    /// The task was cancelled before its turn came.
    case cancelled
    /// The system had no memory for it.
    case outOfMemory
    /// Not one thread could be started; the code is `pthread_create`'s.
    case noThread(code: Int32)
    /// libsodium could not be initialised.
    case unavailable
    /// The library that verifies this scheme does not take the hash.
    case unverifiable(PasswordHash.Scheme)
}
