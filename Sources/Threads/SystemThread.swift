internal import Platform

/// A dedicated thread for work that blocks, because Swift's cooperative threads must not block.
///
/// For many jobs that block, use a ``ThreadPool``.
package final class SystemThread: Sendable {
    private struct Identifier: @unchecked Sendable {
        // `@unchecked Sendable`: the value is a number or an address. It is only passed to pthread functions, and any
        // thread may call these functions.
        let value: pthread_t
    }

    /// Nil after the thread was joined or detached.
    private let identifier: Locked<Identifier?>

    /// Starts the thread, which ends when `body` returns. The thread need not be joined.
    ///
    /// - Parameters:
    ///   - blockingSignals: Whether the thread blocks all signals. If true, no signal handler of the program interrupts
    ///     the work. If false, the thread inherits the signal mask of the thread that starts it.
    ///   - body: The work of the thread.
    /// - Throws: ``ThreadError`` if the system cannot start a thread.
    package init(blockingSignals: Bool, _ body: @escaping @Sendable () -> Void) throws(ThreadError) {
        let context = Unmanaged.passRetained(Body(body))
        var thread = pthread_t()
        // A new thread inherits the signal mask of the thread that starts it. The mask is set before the start, so the
        // new thread never takes a signal.
        var mask = sigset_t()
        if blockingSignals {
            var all = sigset_t()
            sigfillset(&all)
            pthread_sigmask(SIG_SETMASK, &all, &mask)
        }
        let code = pthread_create(
            &thread, nil,
            { context in
                guard let context else { return nil }
                Unmanaged<Body>.fromOpaque(context).takeRetainedValue().run()
                return nil
            }, context.toOpaque())
        if blockingSignals { pthread_sigmask(SIG_SETMASK, &mask, nil) }
        guard code == 0 else {
            context.release()
            throw ThreadError(code: code)
        }
        identifier = Locked(Identifier(value: thread))
    }

    deinit { if let thread = take() { pthread_detach(thread) } }

    /// Waits until the thread has ended. Blocks the calling thread. If a thread joins itself, the call returns
    /// immediately.
    package func join() {
        guard let thread = take() else { return }
        if pthread_equal(thread, pthread_self()) != 0 {
            pthread_detach(thread)
        } else {
            pthread_join(thread, nil)
        }
    }

    private func take() -> pthread_t? {
        identifier.withLock { identifier in
            defer { identifier = nil }
            return identifier?.value
        }
    }
}

/// The system could not start a thread.
package struct ThreadError: Error, Hashable, Sendable {
    /// The result of `pthread_create`: an `errno` code, mostly `EAGAIN`.
    package let code: Int32
}

/// The work of a thread, in an object that `pthread_create` can pass to the thread.
private final class Body: Sendable {
    let run: @Sendable () -> Void

    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
}
