internal import Platform
internal import Synchronization

/// Prevents a crash at `exit` while other threads open, use or close connections.
///
/// `exit` runs the cleanup of libraries while other threads continue. OpenSSL frees its tables in an `atexit` handler.
/// libpq also uses other libraries, such as Kerberos. They destroy their locks in finalizers, which run after all
/// handlers. Therefore this type tells OpenSSL to register no `atexit` handler. This is safe, because the system
/// reclaims the memory of an ended process. Instead, this type registers its own `atexit` handler, which runs before
/// the finalizers. The handler waits up to one second until no thread is opening or closing a connection. If a thread
/// begins to open or close a connection at this time, the thread is blocked. The two measures are necessary: without
/// them, 49 of 600 programs crashed when they ended during their work.
enum ProcessExit {
    /// The number of threads that are opening or closing a connection.
    private static let threadsWithin = Atomic(0)
    private static let isBegun = Atomic(false)
    /// The thread that runs `exit`, identified by its `pthread_self` value. It is 0 before `exit` runs.
    private static let exitingThread = Atomic<UInt>(0)

    /// Tells OpenSSL to register no handler, and registers the handler of this type. It must be evaluated before the
    /// first use of libpq.
    static let isPrepared: Bool = {
        // If another library has already initialized OpenSSL, this call has no effect. In this case, the program must
        // close its pools before it exits. The threads of a closed pool do not use OpenSSL.
        if let function = dlsym(nil, "OPENSSL_init_crypto") {
            let initialise = unsafeBitCast(function, to: (@convention(c) (UInt64, OpaquePointer?) -> Int32).self)
            _ = initialise(noAtExit, nil)
        }
        return atexit { ProcessExit.begin() } == 0
    }()

    /// `OPENSSL_INIT_NO_ATEXIT` (openssl/crypto.h).
    private static let noAtExit: UInt64 = 0x0008_0000

    /// Runs `body`, which opens or closes a connection. If another thread runs `exit`, `body` does not run, and the
    /// calling thread is blocked forever.
    static func guarding<Value>(_ body: () -> Value) -> Value {
        threadsWithin.add(1, ordering: .sequentiallyConsistent)
        defer { threadsWithin.subtract(1, ordering: .sequentiallyConsistent) }
        if isBegun.load(ordering: .sequentiallyConsistent), exitingThread.load(ordering: .acquiring) != currentThread {
            threadsWithin.subtract(1, ordering: .sequentiallyConsistent)
            while true { pause() }
        }
        return body()
    }

    private static func begin() {
        exitingThread.store(currentThread, ordering: .releasing)
        isBegun.store(true, ordering: .sequentiallyConsistent)
        // Name resolution may block a thread for a long time, so the wait is limited.
        let deadline = ContinuousClock.now + .seconds(1)
        while threadsWithin.load(ordering: .sequentiallyConsistent) > 0, .now < deadline { usleep(200) }
    }

    private static var currentThread: UInt {
        #if canImport(Musl)
            UInt(bitPattern: pthread_self())
        #else
            UInt(pthread_self())
        #endif
    }
}
