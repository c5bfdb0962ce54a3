import ProfileTesting
import ProfileTransfer
import Synchronization

/// A sequence of chunks that a test supplies. It records the bytes that were read, the number of its iterations, and
/// when an iterator is released.
final class ChunkSource: Sendable {
    private struct State {
        var given = 0
        var iterators = 0
    }

    private let state = Mutex(State())
    private let next: @Sendable (Int) async throws -> [UInt8]?
    private let (isDropped, dropping) = AsyncStream.makeStream(of: Never.self)

    /// - Parameter next: Returns the chunk at an index, which starts at 0, or nil at the end of the sequence.
    init(_ next: @escaping @Sendable (Int) async throws -> [UInt8]?) { self.next = next }

    /// The number of bytes that the consumer has received.
    var given: Int { state.withLock { $0.given } }
    /// The number of iterators that were made.
    var iterators: Int { state.withLock { $0.iterators } }

    /// Waits until an iterator is released.
    func waitUntilDropped() async { for await _ in isDropped {} }

    /// Its chunks.
    var chunks: Chunks { Chunks(source: self) }

    fileprivate func begin() { state.withLock { $0.iterators += 1 } }

    fileprivate func end() { dropping.finish() }

    fileprivate func chunk(_ number: Int) async throws -> [UInt8]? {
        let chunk = try await next(number)
        state.withLock { $0.given += chunk?.count ?? 0 }
        return chunk
    }
}

struct Chunks: AsyncSequence, Sendable {
    fileprivate let source: ChunkSource

    struct Iterator: AsyncIteratorProtocol {
        private let lease: Lease
        private var number = 0

        fileprivate init(source: ChunkSource) { lease = Lease(source) }

        mutating func next() async throws -> [UInt8]? {
            defer { number += 1 }
            return try await lease.source.chunk(number)
        }
    }

    private final class Lease: Sendable {
        let source: ChunkSource

        init(_ source: ChunkSource) { self.source = source }

        deinit { source.end() }
    }

    func makeAsyncIterator() -> Iterator {
        source.begin()
        return Iterator(source: source)
    }
}

extension ChunkSource {
    /// Bytes in chunks of these sizes.
    convenience init(_ bytes: [UInt8], sizes: [Int]) {
        var pieces: [[UInt8]] = []
        var rest = bytes[...]
        for size in sizes {
            pieces.append(Array(rest.prefix(size)))
            rest = rest.dropFirst(size)
        }
        pieces.append(Array(rest))
        let all = pieces
        self.init { $0 < all.count ? all[$0] : nil }
    }
}

/// Random chunk sizes for `count` bytes: many chunks of one byte, some empty ones and a few long ones.
func randomSizes(of count: Int, using random: inout SeededGenerator) -> [Int] {
    var sizes: [Int] = []
    var sum = 0
    while sum < count {
        let size =
            switch Int.random(in: 0..<10, using: &random) {
            case 0: 0
            case 1...5: 1
            case 6...8: Int.random(in: 2...40, using: &random)
            default: Int.random(in: 1...max(1, count / 2), using: &random)
            }
        sizes.append(size)
        sum += size
    }
    return sizes
}

/// Collects the bytes that its sink receives.
final class GatheredBytes: Sendable {
    private let state = Mutex<(bytes: [UInt8], longest: Int)>(([], 0))

    var sink: ChunkSink { ChunkSink { [self] chunk in add(chunk) } }

    func add(_ chunk: [UInt8]) {
        state.withLock {
            $0.bytes += chunk
            $0.longest = max($0.longest, chunk.count)
        }
    }

    var bytes: [UInt8] { state.withLock { $0.bytes } }
    var text: String { String(decoding: bytes, as: UTF8.self) }
    var longestChunk: Int { state.withLock { $0.longest } }
}

struct StreamBroke: Error, Equatable {}
