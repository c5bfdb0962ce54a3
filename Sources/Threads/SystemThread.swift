internal import Platform
internal import Synchronization

/// A thread of its own, for work that blocks, since Swift's cooperative threads must not.
///
/// Whoever has much such work keeps a ``ThreadPool`` instead.
package final class SystemThread: Sendable {
    private struct Identifier: @unchecked Sendable {
        // A number or an address that is only ever handed back to pthread functions, which any thread may call.
        let value: pthread_t
    }

    /// Nil once somebody has joined it.
    private let identifier: Mutex<Identifier?>

    /// Starts the thread; it ends when `body` does. If nobody joins it, it ends by itself.
    ///
    /// - Parameters:
    ///   - blockingSignals: Whether the thread takes no signals, so that no handler of the program's runs in the middle
    ///     of its work. Otherwise it takes those that the thread takes which starts it.
    ///   - body: What the thread does.
    /// - Throws: Why the system started none.
    package init(blockingSignals: Bool, _ body: @escaping @Sendable () -> Void) throws(ThreadError) {
        let context = Unmanaged.passRetained(Body(body))
        var thread = pthread_t()
        // A new thread begins with the mask of the one that starts it: this way there is no moment without it.
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
        identifier = Mutex(Identifier(value: thread))
    }

    deinit { if let thread = take() { pthread_detach(thread) } }

    /// Waits until the thread has ended; on itself it does not. Blocks the thread that calls.
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

/// The system started no thread.
package struct ThreadError: Error, Hashable, Sendable {
    /// What `pthread_create` returned: one of `errno`'s codes, mostly `EAGAIN`.
    package let code: Int32
}

/// What a thread does, on its way through `pthread_create`.
private final class Body: Sendable {
    let run: @Sendable () -> Void

    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
}
