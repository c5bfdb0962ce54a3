internal import ProfileStore

/// The changes of a store in memory, for those who watch it (R7).
struct MemoryLog: Sendable {
    private struct Entry: Sendable {
        let number: Int64
        let kind: ProfileChange.Kind
        let profileIDs: ClosedRange<Int64>?
        let stamp: WriteStamp
    }

    /// The newest change's.
    private(set) var number: Int64 = 0
    /// Oldest first, without a gap.
    private var entries: [Entry] = []

    var length: Int { entries.count }

    /// Puts a change at the end; `most` of the newest are kept, and a few more until they are pruned.
    mutating func append(
        _ kind: ProfileChange.Kind, _ profileIDs: ClosedRange<Int64>?, _ stamp: WriteStamp, keeping most: Int
    ) {
        number += 1
        entries.append(Entry(number: number, kind: kind, profileIDs: profileIDs, stamp: stamp))
        let most = Int64(max(1, most))
        if number % max(1, most / 100) == 0 { entries.removeAll { $0.number <= number - most } }
    }

    /// What came after a change; `profile` says what is known now of one that is alone in its change.
    func changes(
        after number: Int64, limit: Int, profile: (Int64) -> MemoryProfile?
    ) -> [ProfileChange] {
        guard number != self.number else { return [] }
        let later = entries.filter { $0.number > number }.prefix(max(0, limit))
        // Otherwise the log does not go back so far, or is another one.
        guard let first = later.first, first.number == number + 1 else { return [.missed(upTo: self.number)] }
        return later.map { entry in
            let alone = entry.profileIDs.flatMap { $0.count == 1 ? profile($0.lowerBound) : nil }
            return ProfileChange(
                number: entry.number, kind: entry.kind, profileIDs: entry.profileIDs, username: alone?.username,
                revision: alone?.revision, changedAt: entry.stamp.time, author: entry.stamp.author?.name)
        }
    }
}
