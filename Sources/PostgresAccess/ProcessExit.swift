internal import Platform
internal import Synchronization

/// Prevents `exit` from crashing a program whose threads still open, use or close connections.
///
/// `exit` runs the cleanup of libraries while other threads continue. OpenSSL frees its tables in an `atexit` handler,
/// and libpq's other libraries, such as Kerberos, destroy their locks in finalizers, which run last. Therefore OpenSSL
/// is told to register no `atexit` handler; the system reclaims the memory anyway. This type registers an `atexit`
/// handler, which runs before the finalizers. It waits until no thread opens or closes a connection, and blocks each
/// thread that is about to do so. Without these two measures (no handler of OpenSSL, and the handler of this type), 49
/// of 600 programs that ended in the middle of their work crashed.
enum ProcessExit {
    /// The number of threads that are opening or closing a connection.
    private static let threadsWithin = Atomic(0)
    private static let isBegun = Atomic(false)
    /// The thread that runs `exit`, as the address or number that `pthread_self` gives; 0 before.
    private static let exitingThread = Atomic<UInt>(0)

    /// Prepares OpenSSL and registers the handler. It is evaluated before libpq is first used.
    static let isPrepared: Bool = {
        // This has no effect if another library has already initialized OpenSSL. In that case the program exits
        // safely only after it has closed its pools, because then no thread uses OpenSSL.
        if let function = dlsym(nil, "OPENSSL_init_crypto") {
            let initialise = unsafeBitCast(function, to: (@convention(c) (UInt64, OpaquePointer?) -> Int32).self)
            _ = initialise(noAtExit, nil)
        }
        return atexit { ProcessExit.begin() } == 0
    }()

    /// `OPENSSL_INIT_NO_ATEXIT` (openssl/crypto.h).
    private static let noAtExit: UInt64 = 0x0008_0000

    /// Runs `body`, which opens or closes a connection. If the process is exiting, blocks the thread forever instead.
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
        // A thread may be blocked in name resolution for long, so the wait is limited.
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
