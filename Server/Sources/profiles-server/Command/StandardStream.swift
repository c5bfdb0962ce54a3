internal import Glibc

/// The standard output and the standard error of the process, without buffers.
enum StandardStream: Int32 {
    case output = 1
    case error = 2

    /// Writes a line. An error of the write has no effect, because there is no place to report it.
    func print(_ line: String) { write(Array((line + "\n").utf8)) }

    /// Writes bytes, in one call of write(2) unless the system accepts only a part of them.
    func write(_ bytes: [UInt8]) {
        bytes.withUnsafeBytes { bytes in
            var rest = bytes[...]
            while !rest.isEmpty {
                let part = UnsafeRawBufferPointer(rebasing: rest)
                let count = Glibc.write(rawValue, part.baseAddress, part.count)
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { return }
                rest = rest.dropFirst(count)
            }
        }
    }
}
