import Platform
@testable import PostgresAccess
import Synchronization
import Testing
import Watchdog

@Suite(.watched) struct EventLoopTests {
    @Test func `a wait ends when there is something to read`() async throws {
        let loop = try EventLoop()
        defer { loop.close() }
        let pair = try SocketPair()
        let waiting = Task {
            await loop.wait(for: pair.ours, orToWrite: false, until: .late, mayBeCancelled: true)
        }
        try await waitUntil { loop.waitingCount == 1 }
        pair.say(1)
        #expect(await waiting.value == .ready)
        #expect(
            await loop.wait(for: pair.ours, orToWrite: false, until: .late, mayBeCancelled: true) == .ready,
            "it is still there")
    }

    @Test func `a wait to write ends when there is room`() async throws {
        let loop = try EventLoop()
        defer { loop.close() }
        let pair = try SocketPair()
        #expect(await loop.wait(for: pair.ours, orToWrite: true, until: .late, mayBeCancelled: true) == .ready)
        pair.fill()
        let waiting = Task {
            await loop.wait(for: pair.ours, orToWrite: true, until: .late, mayBeCancelled: true)
        }
        try await waitUntil { loop.waitingCount == 1 }
        pair.drain()
        #expect(await waiting.value == .ready)
    }

    @Test func `a deadline ends a wait, however long the thread meant to sleep`() async throws {
        let loop = try EventLoop()
        defer { loop.close() }
        let pair = try SocketPair()
        // A long wait is already under way, and the first deadline below is long past.
        let patient = Task { await loop.wait(for: pair.ours, orToWrite: false, until: .late, mayBeCancelled: true) }
        try await waitUntil { loop.waitingCount == 1 }
        for milliseconds in [-1_000, 0, 1, 30, 1_100] {
            let deadline = ContinuousClock.now + .milliseconds(milliseconds)
            #expect(await loop.pause(until: deadline) == .timedOut)
            #expect(.now >= deadline)
        }
        pair.say(1)
        #expect(await patient.value == .ready)
        // No wait is left, so the thread sleeps without a time limit by now.
        try await waitUntil { loop.waitingCount == 0 }
        #expect(await loop.pause(until: .now + .milliseconds(1)) == .timedOut)
    }

    @Test func `cancelling ends a wait, also one that has not begun, unless the wait may not be cancelled`()
        async throws
    {
        let loop = try EventLoop()
        defer { loop.close() }
        let pair = try SocketPair()
        let waiting = Task { await loop.wait(for: pair.ours, orToWrite: false, until: .late, mayBeCancelled: true) }
        try await waitUntil { loop.waitingCount == 1 }
        waiting.cancel()
        #expect(await waiting.value == .cancelled)

        let cancelled = Task {
            await waitUntilCancelled()
            return await loop.pause(until: .late)
        }
        cancelled.cancel()
        #expect(await cancelled.value == .cancelled)

        let stubborn = Task { await loop.wait(for: pair.ours, orToWrite: false, until: .late, mayBeCancelled: false) }
        try await waitUntil { loop.waitingCount == 1 }
        stubborn.cancel()
        pair.say(1)
        #expect(await stubborn.value == .ready)
    }

    @Test func `a wait that is woken before it has begun ends at once`() async throws {
        let loop = try EventLoop()
        defer { loop.close() }
        for _ in 0..<1_000 {
            let id = loop.newID()
            let isThere = Noted<Bool>()
            async let wake = loop.wait(id, until: .late) { isThere.value == true }
            isThere.value = true
            loop.wake(id)
            #expect(await wake == .ready)
        }
        loop.wake(loop.newID())
    }

    @Test func `a wait for a socket works when the socket has the number of a closed one`() async throws {
        let loop = try EventLoop()
        defer { loop.close() }
        for _ in 0..<10 {
            let pair = try SocketPair()
            pair.say(1)
            #expect(await loop.wait(for: pair.ours, orToWrite: false, until: .late, mayBeCancelled: true) == .ready)
            pair.drain()
            #expect(
                await loop.wait(
                    for: pair.ours, orToWrite: false, until: .now + .milliseconds(1), mayBeCancelled: true) == .timedOut
            )
        }
    }

    @Test func `each of many waits ends at its own deadline`() async throws {
        let loop = try EventLoop()
        defer { loop.close() }
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<2_000 {
                group.addTask {
                    let deadline = ContinuousClock.now + .milliseconds(number % 50)
                    #expect(await loop.pause(until: deadline) == .timedOut)
                    #expect(.now >= deadline)
                }
            }
        }
        #expect(loop.waitingCount == 0)
    }

    @Test func `closing ends all waits, and those to come`() async throws {
        let loop = try EventLoop()
        let waiting = Task { await loop.pause(until: .late) }
        try await waitUntil { loop.waitingCount == 1 }
        loop.close()
        #expect(await waiting.value == .closed)
        #expect(await loop.pause(until: .late) == .closed)
        loop.join()
    }
}

/// Two ends of a connection.
private final class SocketPair: Sendable {
    let ours: Int32
    private let theirs: Int32

    init() throws {
        var ends: [Int32] = [0, 0]
        try #require(
            socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends)
                == 0)
        (ours, theirs) = (ends[0], ends[1])
    }

    deinit {
        close(ours)
        close(theirs)
    }

    func say(_ byte: UInt8) { _ = withUnsafeBytes(of: byte) { write(theirs, $0.baseAddress, 1) } }

    /// Writes until there is no room.
    func fill() {
        let bytes = [UInt8](repeating: 0, count: 4_096)
        while write(ours, bytes, bytes.count) > 0 {}
    }

    /// Reads all on both ends.
    func drain() {
        var bytes = [UInt8](repeating: 0, count: 4_096)
        while read(theirs, &bytes, bytes.count) > 0 {}
        while read(ours, &bytes, bytes.count) > 0 {}
    }
}
