internal import CSVStream
internal import Platform

/// An unnamed file that only its owner can read. It holds sorted runs of fingerprints, one after another.
final class SpillFile {
    /// The position of a run in the file, counted in fingerprints.
    struct Part: Sendable {
        let start: Int
        let count: Int
    }

    private let file: UnnamedFile
    private var count = 0

    /// Creates the file from a `mkstemp` template.
    init(_ template: [CChar]) throws(InferenceError) {
        do throws(ByteStreamError) { file = try UnnamedFile(template) } catch { throw .spilling(code: error.code) }
    }

    func append(_ run: [Fingerprint]) throws(InferenceError) -> Part {
        let part = Part(start: count, count: run.count)
        do throws(ByteStreamError) {
            try file.write(run.span.bytes, at: Int64(count * Self.stride))
        } catch {
            throw .spilling(code: error.code)
        }
        count += run.count
        return part
    }

    /// Returns one reader for each part. The readers can be used alternately.
    func read(_ parts: [Part]) -> [SpilledRun] { parts.map { SpilledRun($0, of: self) } }

    /// Fills `memory` with fingerprints, starting at the position `start`.
    fileprivate func read(
        into memory: UnsafeMutableBufferPointer<Fingerprint>, from start: Int
    ) throws(ByteStreamError) {
        try file.fill(UnsafeMutableRawBufferPointer(memory), at: Int64(start * Self.stride))
    }

    private static let stride = MemoryLayout<Fingerprint>.stride
}

/// Reads one run of a spill file sequentially.
struct SpilledRun {
    /// The current fingerprint; nil before the first `advance()` and at the end.
    private(set) var current: Fingerprint?
    private var buffer: ArraySlice<Fingerprint> = []
    private var next: Int
    private let end: Int
    private let file: SpillFile

    /// The size of the read buffer: 64 KiB. It is small because hundreds of runs may be read at the same time.
    private static let fingerprintsPerRead = 4_096

    init(_ part: SpillFile.Part, of file: SpillFile) {
        next = part.start
        end = part.start + part.count
        self.file = file
    }

    /// Moves to the next fingerprint. The first call moves to the first one.
    mutating func advance() throws(InferenceError) {
        if buffer.isEmpty, next < end { try fill() }
        current = buffer.popFirst()
    }

    private mutating func fill() throws(InferenceError) {
        let wanted = min(Self.fingerprintsPerRead, end - next)
        do throws(ByteStreamError) {
            let read = try [Fingerprint](unsafeUninitializedCapacity: wanted) {
                memory, initialized throws(ByteStreamError) in
                try file.read(into: UnsafeMutableBufferPointer(rebasing: memory[..<wanted]), from: next)
                initialized = wanted
            }
            buffer = read[...]
        } catch {
            throw .spilling(code: error.code)
        }
        next += wanted
    }
}

/// A binary heap of runs with the smallest fingerprint at the top, for a multiway merge.
enum FingerprintHeap {
    /// Reads all runs to their ends, and adds the fingerprints that occur in more than one run to `repeats`.
    static func merge(_ runs: inout [SpilledRun], repeats: inout CountedLines) throws(InferenceError) {
        for index in runs.indices { try runs[index].advance() }
        runs.removeAll { $0.current == nil }
        for index in runs.indices.reversed() { sink(index, in: &runs) }
        var last: Fingerprint?
        while let least = runs.first?.current {
            if let before = last, before.hash == least.hash {
                repeats.add(line: max(before.line, least.line))
                last = before.line < least.line ? before : least
            } else {
                last = least
            }
            try runs[0].advance()
            if runs[0].current == nil {
                runs.swapAt(0, runs.count - 1)
                runs.removeLast()
            }
            sink(0, in: &runs)
        }
    }

    private static func sink(_ start: Int, in runs: inout [SpilledRun]) {
        var parent = start
        while true {
            var least = parent
            for child in [2 * parent + 1, 2 * parent + 2] where child < runs.count {
                if hash(runs[child]) < hash(runs[least]) { least = child }
            }
            if least == parent { return }
            runs.swapAt(parent, least)
            parent = least
        }
    }

    private static func hash(_ run: SpilledRun) -> UInt64 { run.current?.hash ?? .max }
}
