internal import Platform

/// A file without a name, for its owner alone, with sorted runs of fingerprints one behind the other.
final class SpillFile {
    /// Where a run lies, in fingerprints.
    struct Part: Sendable {
        let start: Int
        let count: Int
    }

    private let descriptor: Int32
    private var count = 0

    /// Makes it by a template of `mkstemp`.
    init(_ template: [CChar]) throws(InferenceError) {
        var template = template
        descriptor = mkstemp(&template)
        guard descriptor >= 0 else { throw .spilling(code: errno) }
        unlink(template)
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    }

    deinit { close(descriptor) }

    func append(_ run: [Fingerprint]) throws(InferenceError) -> Part {
        let part = Part(start: count, count: run.count)
        let code = run.withUnsafeBytes { Self.write($0, at: count * Self.stride, to: descriptor) }
        guard code == 0 else { throw .spilling(code: code) }
        count += run.count
        return part
    }

    /// What reads the parts, side by side; the file has to outlive it.
    func read(_ parts: [Part]) -> [SpilledRun] { parts.map { SpilledRun($0, of: descriptor) } }

    fileprivate static let stride = MemoryLayout<Fingerprint>.stride

    /// - Returns: 0, or `errno`.
    private static func write(_ bytes: UnsafeRawBufferPointer, at position: Int, to descriptor: Int32) -> Int32 {
        var written = 0
        while written < bytes.count {
            let rest = UnsafeRawBufferPointer(rebasing: bytes[written...])
            let count = pwrite(descriptor, rest.baseAddress, rest.count, off_t(position + written))
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return count == 0 ? ENOSPC : errno }
            written += count
        }
        return 0
    }
}

/// Reads one run of a spill file from front to back.
struct SpilledRun {
    /// The fingerprint at hand; nil at the end.
    private(set) var current: Fingerprint?
    private var buffer: ArraySlice<Fingerprint> = []
    private var next: Int
    private let end: Int
    private let descriptor: Int32

    /// 64 KiB: hundreds of runs are read at once.
    private static let fingerprintsPerRead = 4_096

    init(_ part: SpillFile.Part, of descriptor: Int32) {
        next = part.start
        end = part.start + part.count
        self.descriptor = descriptor
    }

    /// Goes on to the next fingerprint; to the first one the first time.
    mutating func advance() throws(InferenceError) {
        if buffer.isEmpty, next < end { try fill() }
        current = buffer.popFirst()
    }

    private mutating func fill() throws(InferenceError) {
        let wanted = min(Self.fingerprintsPerRead, end - next)
        var code: Int32 = 0
        let read = [Fingerprint](unsafeUninitializedCapacity: wanted) { memory, initialized in
            let bytes = UnsafeMutableRawBufferPointer(memory)
            var filled = 0
            while filled < bytes.count {
                let count = pread(
                    descriptor, bytes.baseAddress?.advanced(by: filled), bytes.count - filled,
                    off_t(next * SpillFile.stride + filled))
                if count < 0, errno == EINTR { continue }
                guard count > 0 else {
                    code = count == 0 ? EIO : errno
                    return
                }
                filled += count
            }
            initialized = wanted
        }
        guard code == 0 else { throw .spilling(code: code) }
        buffer = read[...]
        next += wanted
    }
}

/// Runs that are read side by side, that with the least fingerprint on top.
enum FingerprintHeap {
    /// Reads all of them to their ends and counts what is in more than one.
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
