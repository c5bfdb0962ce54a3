// The only file of this module that imports the C library, on platforms that have one.
#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Darwin)
    internal import Darwin
#endif

extension UnsafeMutableBufferPointer<UInt8> {
    /// Zeroes the memory, even if no code reads it again. A compiler may remove an ordinary write in that case.
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
