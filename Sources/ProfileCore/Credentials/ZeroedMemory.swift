// This is the only file of the module that imports the C library of the system.
#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Darwin)
    internal import Darwin
#endif

extension UnsafeMutableBufferPointer<UInt8> {
    /// Zeroes the memory. If no code reads the memory later, the compiler may remove an ordinary write. It never
    /// removes this write.
    func zero() {
        guard let baseAddress else { return }
        #if canImport(Glibc) || canImport(Musl)
            explicit_bzero(baseAddress, count)
        #elseif canImport(Darwin)
            memset_s(baseAddress, count, 0, count)
        #else
            Self.write(0, count, to: baseAddress)
        #endif
    }

    #if !canImport(Glibc) && !canImport(Musl) && !canImport(Darwin)
        @inline(never) @_optimize(none)
        private static func write(_ byte: UInt8, _ count: Int, to start: UnsafeMutablePointer<UInt8>) {
            start.update(repeating: byte, count: count)
        }
    #endif
}
