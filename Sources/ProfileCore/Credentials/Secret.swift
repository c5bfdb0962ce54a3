/// The bytes of a password or passcode, exactly as they were typed.
///
/// A secret is immutable. All copies share one memory block. The block is zeroed when the last copy is released. A
/// secret is never printed: its descriptions are `•••`, and its mirror is empty. Any bytes are allowed, including NUL
/// and invalid UTF-8.
public struct Secret: Sendable {
    private let storage: Storage

    /// Copies the bytes. The caller must zero its own bytes.
    public init(_ bytes: Span<UInt8>) {
        self.init(capacity: bytes.count) { output in
            for index in bytes.indices { output.append(bytes[index]) }
        }
    }

    /// Copies the UTF-8 of a string.
    ///
    /// The string's own memory cannot be zeroed. So read secrets into bytes, not into a string, if possible.
    public init(_ string: String) {
        self.init(string.utf8Span.span)
    }

    /// Creates a secret. `body` writes the bytes directly into the memory of the secret, so no other copy exists.
    ///
    /// - Parameters:
    ///   - capacity: The maximum number of bytes that `body` may append. If it appends more bytes, this is a
    ///     programming error.
    ///   - body: Appends the bytes.
    /// - Throws: The error of `body`. All bytes that `body` has written are zeroed before the error is thrown.
    public init<E: Error>(
        capacity: Int, initializingWith body: (inout OutputSpan<UInt8>) throws(E) -> Void
    ) throws(E) {
        storage = try Storage(capacity: capacity, initializingWith: body)
    }

    /// The number of bytes.
    public var count: Int { storage.count }

    /// Whether the secret has no bytes.
    public var isEmpty: Bool { count == 0 }

    /// The bytes. The span is valid while the secret is borrowed.
    public var bytes: Span<UInt8> {
        @_lifetime(borrow self)
        get { _overrideLifetime(storage.initialized.span, borrowing: self) }
    }
}

extension Secret: Equatable {
    /// Whether two secrets have the same bytes. The time of the comparison depends only on the lengths of the secrets.
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

    /// A mirror without children. So `dump` does not show the bytes.
    public var customMirror: Mirror { Mirror(self, children: [], displayStyle: .struct) }
}

extension Secret {
    /// The memory of a secret.
    ///
    /// `@unchecked Sendable`: only `init` writes the bytes, before any other reference exists. Later, the bytes are
    /// only read. `deinit` runs after the last reference is released.
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

        /// Zeroes and frees the whole allocation. Zeroing only the first `count` bytes is not enough: `body` can write
        /// more bytes, and then remove some of them or throw an error.
        private static func release(_ memory: UnsafeMutableBufferPointer<UInt8>) {
            memory.zero()
            memory.deallocate()
        }
    }
}
