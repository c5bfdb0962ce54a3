internal import Synchronization

/// A value behind a mutex.
///
/// It exists because `Mutex.withLock` must not be inlined into an asynchronous function. On Linux a `Mutex` stores the
/// identifier of the thread that holds it, read from a thread-local variable. Swift 6.3 may compute the address of that
/// variable before a suspension and use this address after it, on another thread
/// ([LLVM issue 63022](https://github.com/llvm/llvm-project/issues/63022)). The mutex is then locked with the
/// identifier of one thread and unlocked by another thread, and the process ends. So ``withLock(_:)`` is a function of
/// its own, which never suspends, and `make lint` refuses a `Mutex` in any other file.
package struct Locked<Value: ~Copyable>: ~Copyable {
    private let mutex: Mutex<Value>

    /// Creates an unlocked value.
    package init(_ value: consuming sending Value) { mutex = Mutex(value) }

    /// Locks the mutex, calls `body` with the value, and unlocks the mutex. Blocks while another thread holds the
    /// mutex.
    ///
    /// Not recursive: a call within `body` ends the process.
    @inline(never) package borrowing func withLock<Result: ~Copyable, Failure>(
        _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        try mutex.withLock(body)
    }
}

extension Locked: Sendable where Value: ~Copyable {}
