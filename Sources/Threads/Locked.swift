public import Synchronization

/// A value behind a mutex.
///
/// This type exists because `Mutex.withLock` must not be inlined into an asynchronous function. On Linux, a `Mutex`
/// reads the identifier of the current thread from a thread-local variable and stores it. Swift 6.3 may compute the
/// address of this variable before a suspension, and use the address after the suspension on another thread
/// ([LLVM issue 63022](https://github.com/llvm/llvm-project/issues/63022)). The mutex is then locked with the
/// identifier of one thread and unlocked by another thread, and the process ends. Therefore ``withLock(_:)`` is never
/// inlined and never suspends. `make lint` refuses a `Mutex` in any other file of `Sources` and `Migrations`.
///
/// The type is public and `@inlinable`, although only this package uses it. Swift 6.3 does not specialize a `package`
/// type for the types of other modules. A look-up locks five values, and code that is not specialized takes three times
/// as long.
public struct Locked<Value: ~Copyable>: ~Copyable {
    @usableFromInline let mutex: Mutex<Value>

    /// Creates an unlocked value.
    @inlinable public init(_ value: consuming sending Value) { mutex = Mutex(value) }

    /// Locks the mutex, calls `body` with the value, and unlocks the mutex. Blocks while another thread holds the
    /// mutex.
    ///
    /// The lock is not recursive: if `body` calls this method again, the process ends.
    @inlinable @inline(never) public borrowing func withLock<Result: ~Copyable, Failure>(
        _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        try mutex.withLock(body)
    }
}

extension Locked: Sendable where Value: ~Copyable {}
