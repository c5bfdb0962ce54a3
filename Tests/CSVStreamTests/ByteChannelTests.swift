import CSVStream
import Dispatch
import Synchronization
import Testing
import Watchdog

/// Bytes that pass from a task to a thread and back.
@Suite(.watched) struct ByteChannelTests {
    private static let bytes = (0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 7 ^ $0 >> 8) }

    /// Reads on a thread of its own, where it may block.
    private static func read(_ channel: ByteChannel, chunk: Int) async throws -> [UInt8] {
        try await onThread {
            var bytes: [UInt8] = []
            let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: chunk, alignment: 1)
            defer { buffer.deallocate() }
            while case let count = try channel.source.read(buffer), count > 0 {
                bytes += UnsafeRawBufferPointer(rebasing: buffer[..<count])
            }
            return bytes
        }
    }

    private static func onThread<Value: Sendable>(
        _ body: @escaping @Sendable () throws -> Value
    ) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            DispatchQueue.global().async { continuation.resume(with: Result(catching: body)) }
        }
    }

    @Test(arguments: [1_000, 65_536, 4_000_000])
    func `a thread reads the bytes that a task writes, in order and in chunks of any size`(size: Int) async throws {
        let channel = ByteChannel()
        async let taken = Self.read(channel, chunk: 70_000)
        var rest = Self.bytes[...]
        while !rest.isEmpty {
            #expect(await channel.write(rest.prefix(size)))
            #expect(await channel.write(EmptyCollection()))
            rest = rest.dropFirst(size)
        }
        channel.finish()
        #expect(try await taken == Self.bytes)
    }

    @Test func `a producer is never far ahead of the consumer`() async throws {
        let channel = ByteChannel()
        let brought = Atomic(0)
        let chunk = [UInt8](repeating: 7, count: 10_000)
        async let bringing: Void = {
            for _ in 0..<200 {
                brought.add(10_000, ordering: .relaxed)
                _ = await channel.write(chunk)
            }
            channel.finish()
        }()
        var taken = 0
        while let chunk = await channel.next() {
            // Gives the producer the time to write everything, if nothing blocks it.
            if taken == 0 { try await waitWhileRising { brought.load(ordering: .relaxed) } }
            taken += chunk.count
            #expect(brought.load(ordering: .relaxed) <= taken + (1 << 18) + 20_000)
        }
        await bringing
        #expect(taken == 2_000_000)
    }

    @Test func `a consumer gets the bytes before a failure, and a producer gets the failure at once`() async throws {
        let channel = ByteChannel()
        let failure = ByteStreamError(operation: .read, cause: CancellationError())
        #expect(await channel.write([1, 2, 3]))
        channel.fail(failure)
        // The failure is kept, although the channel is then finished.
        channel.finish()
        #expect(await !channel.write([4]))
        let sink = channel.sink
        #expect(throws: failure) { try sink.write(UnsafeRawBufferPointer(start: nil, count: 0)) }
        let source = channel.source
        try await Self.onThread {
            let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 10, alignment: 1)
            defer { buffer.deallocate() }
            let count = try source.read(buffer)
            #expect(count == 3)
            #expect(throws: failure) { _ = try source.read(buffer) }
        }
    }

    @Test func `a closed channel ends waiting writes and reads`() async throws {
        let channel = ByteChannel()
        async let writing = channel.write([UInt8](repeating: 1, count: 10_000_000))
        #expect(await channel.next()?.isEmpty == false)
        channel.close()
        #expect(await writing == false)
        #expect(await channel.next() == nil)
        #expect(try await Self.read(channel, chunk: 10) == [])
    }

    @Test func `a waiting read can be interrupted, and no byte is lost after a reset`() async throws {
        let channel = ByteChannel()
        async let first = Self.read(channel, chunk: 10)
        channel.interrupt()
        #expect(try await first == [])
        // The channel keeps the bytes that are written meanwhile, up to its usual capacity.
        async let writing = channel.write([UInt8](repeating: 1, count: 600_000))
        channel.reset()
        async let second = Self.read(channel, chunk: 1_000)
        #expect(await writing)
        channel.finish()
        #expect(try await second.count == 600_000)
    }
}
