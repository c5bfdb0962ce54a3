internal import Platform

/// OpenSSL frees its tables in a handler of `atexit`, although other threads may still use them: a connection that
/// another thread opens or closes while the program calls `exit` then crashes it. The program's memory goes with it
/// anyway, so OpenSSL is asked to register no such handler.
enum LibraryCleanup {
    /// Evaluated before libpq first uses OpenSSL. It has no effect where another library has done so before: then closing
    /// the repository is what keeps the end of the program safe, since no thread uses OpenSSL after that.
    static let isAvoided: Bool = {
        // libpq has loaded libcrypto where it was built with OpenSSL. `nil` is RTLD_DEFAULT.
        guard let function = dlsym(nil, "OPENSSL_init_crypto") else { return false }
        let initialise = unsafeBitCast(function, to: (@convention(c) (UInt64, OpaquePointer?) -> Int32).self)
        return initialise(noAtExit, nil) == 1
    }()

    /// `OPENSSL_INIT_NO_ATEXIT` (openssl/crypto.h).
    private static let noAtExit: UInt64 = 0x0008_0000
}
