/// The bytes of a password or passcode as they were typed.
///
/// A secret never changes and its memory is its own: copies share it, and it is zeroed when the last copy goes. It is
/// never printed; whatever describes or mirrors it sees `•••`. Any bytes are allowed, NUL and invalid UTF-8 included.
public struct Secret: Sendable {
    private let storage: Storage

    /// Copies the bytes; the caller still owns, and zeroes, its own.
    public init(_ bytes: Span<UInt8>) {
        self.init(capacity: bytes.count) { output in
            for index in bytes.indices { output.append(bytes[index]) }
        }
    }

    /// Copies the UTF-8 of a string.
    ///
    /// The string's own memory cannot be zeroed: read secrets into bytes where that is possible.
    public init(_ string: String) {
        self.init(string.utf8Span.span)
    }

    /// Has the secret written straight into its own memory, so that no other copy has to exist.
    ///
    /// - Parameters:
    ///   - capacity: the most bytes that `body` may append; appending more is a programming error.
    ///   - body: appends the bytes.
    /// - Throws: what `body` throws; nothing that it wrote stays behind.
    public init<E: Error>(
        capacity: Int, initializingWith body: (inout OutputSpan<UInt8>) throws(E) -> Void
    ) throws(E) {
        storage = try Storage(capacity: capacity, initializingWith: body)
    }

    /// How many bytes there are.
    public var count: Int { storage.count }

    /// Whether there is no byte at all.
    public var isEmpty: Bool { count == 0 }

    /// The bytes, readable for as long as the secret is borrowed.
    public var bytes: Span<UInt8> {
        @_lifetime(borrow self)
        get { _overrideLifetime(storage.initialized.span, borrowing: self) }
    }
}

extension Secret: Equatable {
    /// Whether two secrets are the same bytes, in a time that depends on their lengths alone.
    public static func == (left: Secret, right: Secret) -> Bool {
        guard left.count == right.count else { return false }
        let leftBytes = left.bytes
        let rightBytes = right.bytes
        var difference: UInt8 = 0
        for index in leftBytes.indices { difference |= leftBytes[index] ^ rightBytes[index] }
        return difference == 0
    }
}

extension Secret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Always `•••`.
    public var description: String { "•••" }

    /// Always `•••`.
    public var debugDescription: String { description }

    /// A mirror without children, so that `dump` shows nothing either.
    public var customMirror: Mirror { Mirror(self, children: [], displayStyle: .struct) }
}

extension Secret {
    /// The memory of a secret.
    ///
    /// `@unchecked Sendable`: the bytes are written in `init`, before anyone else can have a reference, and are only
    /// read from then on; `deinit` runs when no reference is left.
    private final class Storage: @unchecked Sendable {
        private let memory: UnsafeMutableBufferPointer<UInt8>
        let count: Int

        init<E: Error>(
            capacity: Int, initializingWith body: (inout OutputSpan<UInt8>) throws(E) -> Void
        ) throws(E) {
            let memory = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: max(capacity, 0))
            var output = OutputSpan(buffer: memory, initializedCount: 0)
            do throws(E) {
                try body(&output)
            } catch {
                _ = output.finalize(for: memory)
                Self.release(memory)
                throw error
            }
            count = output.finalize(for: memory)
            self.memory = memory
        }

        var initialized: UnsafeBufferPointer<UInt8> {
            UnsafeBufferPointer(start: memory.baseAddress, count: count)
        }

        deinit { Self.release(memory) }

        /// Zeroes all that was allocated, since a body that threw, or shrank its output, has written more than `count`.
        private static func release(_ memory: UnsafeMutableBufferPointer<UInt8>) {
            memory.zero()
            memory.deallocate()
        }
    }
}
