internal import Platform
internal import Synchronization

/// A thread of its own, since one that waits for keys must not be one of Swift's cooperative threads.
final class TerminalThread: Sendable {
    private struct Identifier: @unchecked Sendable {
        // A number or an address that is only ever handed back to pthread functions, which any thread may call.
        let value: pthread_t
    }

    /// Nil once somebody has joined it.
    private let identifier: Mutex<Identifier?>

    /// Starts the thread; it ends when `body` does.
    init(_ body: @escaping @Sendable () -> Void) throws(TerminalError) {
        final class Box: Sendable {
            let body: @Sendable () -> Void
            init(_ body: @escaping @Sendable () -> Void) { self.body = body }
        }
        let context = Unmanaged.passRetained(Box(body))
        var thread = pthread_t()
        let code = pthread_create(
            &thread, nil,
            { context in
                guard let context else { return nil }
                Unmanaged<Box>.fromOpaque(context).takeRetainedValue().body()
                return nil
            }, context.toOpaque())
        guard code == 0 else {
            context.release()
            throw .cannotStartThread(code: code)
        }
        identifier = Mutex(Identifier(value: thread))
    }

    deinit { if let thread = take() { pthread_detach(thread) } }

    /// Waits until the thread has ended; on itself it does not.
    func join() {
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
