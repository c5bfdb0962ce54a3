internal import ProfileCore

/// A hash of a value, ignoring ASCII case. Equal values have equal fingerprints. Two different values have the same
/// fingerprint with a probability of 1 in 2⁶⁴.
struct Fingerprint: Sendable {
    let hash: UInt64
    /// The first line of the record that has the value.
    let line: Int

    /// Makes a fingerprint. Each process has a random seed for the hash. So values cannot be recovered from a spill
    /// file.
    init(of value: Span<UInt8>, line: Int) {
        self.line = line
        hash = value.withUnsafeBufferPointer { value in
            withUnsafeTemporaryAllocation(of: UInt8.self, capacity: value.count) { folded in
                for (index, byte) in value.enumerated() { folded.initializeElement(at: index, to: byte.asciiFolded) }
                var hasher = Hasher()
                hasher.combine(bytes: UnsafeRawBufferPointer(folded))
                return UInt64(bitPattern: Int64(hasher.finalize()))
            }
        }
    }
}

/// Unique fingerprints in ascending order, each with the first line of its value.
struct FingerprintRun: Sendable {
    private(set) var fingerprints: [Fingerprint]

    /// Sorts fingerprints and removes duplicates, which are added to `repeats`.
    init(_ unsorted: [Fingerprint], repeats: inout CountedLines) {
        fingerprints = unsorted.sorted { ($0.hash, $0.line) < ($1.hash, $1.line) }
        var kept = 0
        for fingerprint in fingerprints {
            if kept > 0, fingerprints[kept - 1].hash == fingerprint.hash {
                repeats.add(line: fingerprint.line)
            } else {
                fingerprints[kept] = fingerprint
                kept += 1
            }
        }
        fingerprints.removeLast(fingerprints.count - kept)
    }

    /// Merges two runs. Fingerprints that are in both are added to `repeats` with the later line.
    init(_ one: FingerprintRun, _ other: FingerprintRun, repeats: inout CountedLines) {
        fingerprints = []
        fingerprints.reserveCapacity(one.fingerprints.count + other.fingerprints.count)
        var left = 0
        var right = 0
        while left < one.fingerprints.count, right < other.fingerprints.count {
            let first = one.fingerprints[left]
            let second = other.fingerprints[right]
            fingerprints.append((first.hash, first.line) < (second.hash, second.line) ? first : second)
            if first.hash == second.hash { repeats.add(line: max(first.line, second.line)) }
            if first.hash <= second.hash { left += 1 }
            if second.hash <= first.hash { right += 1 }
        }
        fingerprints += one.fingerprints[left...]
        fingerprints += other.fingerprints[right...]
    }
}
