import CSVStream
import Dispatch
import Synchronization
import Testing
import Watchdog

/// Bytes that go from a task to a thread, and the other way.
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
    func `what a task brings comes to a thread, in order, whatever the chunks`(size: Int) async throws {
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

    @Test func `who brings bytes is never far ahead of who takes them`() async throws {
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
            // Time to bring everything, if nothing holds it up.
            if taken == 0 { try await waitWhileRising { brought.load(ordering: .relaxed) } }
            taken += chunk.count
            #expect(brought.load(ordering: .relaxed) <= taken + (1 << 18) + 20_000)
        }
        await bringing
        #expect(taken == 2_000_000)
    }

    @Test func `who takes bytes gets those before a failure, and who brings some is told of it at once`() async throws {
        let channel = ByteChannel()
        let failure = ByteStreamError(operation: .read, cause: CancellationError())
        #expect(await channel.write([1, 2, 3]))
        channel.fail(failure)
        // The first reason stays.
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

    @Test func `one that is closed keeps nobody waiting`() async throws {
        let channel = ByteChannel()
        async let writing = channel.write([UInt8](repeating: 1, count: 10_000_000))
        #expect(await channel.next()?.isEmpty == false)
        channel.close()
        #expect(await writing == false)
        #expect(await channel.next() == nil)
        #expect(try await Self.read(channel, chunk: 10) == [])
    }

    @Test func `a read that waits is interrupted, and goes on where it was`() async throws {
        let channel = ByteChannel()
        async let first = Self.read(channel, chunk: 10)
        channel.interrupt()
        #expect(try await first == [])
        // Bytes that come meanwhile are kept, and no more of them than else.
        async let writing = channel.write([UInt8](repeating: 1, count: 600_000))
        channel.reset()
        async let second = Self.read(channel, chunk: 1_000)
        #expect(await writing)
        channel.finish()
        #expect(try await second.count == 600_000)
    }
}
