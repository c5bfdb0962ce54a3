import CSVStream
import Platform
import Synchronization

/// A source whose reads fail and return one byte in alternation.
final class FlakySource: Sendable {
    private let bytes: [UInt8]
    private let state = Mutex((position: 0, fails: true))

    init(bytes: [UInt8]) { self.bytes = bytes }

    func read(into buffer: UnsafeMutableRawBufferPointer) throws(ByteStreamError) -> Int {
        let byte: UInt8?? = state.withLock { state in
            defer { state.fails.toggle() }
            if state.fails { return nil }
            guard state.position < bytes.count else { return .some(nil) }
            defer { state.position += 1 }
            return bytes[state.position]
        }
        guard let byte else { throw ByteStreamError(operation: .read, code: EIO) }
        guard let byte else { return 0 }
        buffer[0] = byte
        return 1
    }
}
