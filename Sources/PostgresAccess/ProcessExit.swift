internal import Platform
internal import Synchronization

/// Keeps `exit` from crashing a program whose threads still open, use or close connections.
///
/// `exit` runs the cleanup of libraries while other threads go on. OpenSSL frees its tables in a handler of `atexit`, and
/// libpq's other libraries, such as Kerberos', destroy their locks in finalizers, which come last. So OpenSSL is asked to
/// register no such handler; the system takes the memory back anyway. And a handler of our own, which runs before the
/// finalizers, waits until no thread opens or closes a connection, and keeps threads from beginning to.
enum ProcessExit {
    /// How many threads are opening or closing a connection.
    private static let threadsWithin = Atomic(0)
    private static let isBegun = Atomic(false)
    /// The thread that runs `exit`, as the address or number that `pthread_self` gives; 0 before.
    private static let exitingThread = Atomic<UInt>(0)

    /// Evaluated before libpq is first used.
    static let isPrepared: Bool = {
        // Without effect where another library has initialised OpenSSL before. Then closing a pool is what keeps the end of
        // the program safe, since no thread uses OpenSSL after that.
        if let function = dlsym(nil, "OPENSSL_init_crypto") {
            let initialise = unsafeBitCast(function, to: (@convention(c) (UInt64, OpaquePointer?) -> Int32).self)
            _ = initialise(noAtExit, nil)
        }
        return atexit { ProcessExit.begin() } == 0
    }()

    /// `OPENSSL_INIT_NO_ATEXIT` (openssl/crypto.h).
    private static let noAtExit: UInt64 = 0x0008_0000

    /// Runs what opens or closes a connection; blocks the thread for ever if the process is about to end.
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
        // A thread that looks up a name may be stuck for long, and is left behind.
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
