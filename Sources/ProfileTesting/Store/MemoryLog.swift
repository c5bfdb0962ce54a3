internal import ProfileStore

/// The log of changes of a store in memory, for clients that watch the store (R7).
struct MemoryLog: Sendable {
    private struct Entry: Sendable {
        let number: Int64
        let kind: ProfileChange.Kind
        let profileIDs: ClosedRange<Int64>?
        let stamp: WriteStamp
    }

    /// The number of the newest change.
    private(set) var number: Int64 = 0
    /// The changes, oldest first, without gaps in their numbers.
    private var entries: [Entry] = []

    var length: Int { entries.count }

    /// Appends a change. The log keeps the newest `most` changes. Older changes are pruned in portions, so a few more
    /// may remain for a while.
    mutating func append(
        _ kind: ProfileChange.Kind, _ profileIDs: ClosedRange<Int64>?, _ stamp: WriteStamp, keeping most: Int
    ) {
        number += 1
        entries.append(Entry(number: number, kind: kind, profileIDs: profileIDs, stamp: stamp))
        let most = Int64(max(1, most))
        if number % max(1, most / 100) == 0 { entries.removeAll { $0.number <= number - most } }
    }

    /// Returns the changes after a number. For a change of a single profile, `profile` returns the profile's current
    /// state.
    func changes(
        after number: Int64, limit: Int, profile: (Int64) -> MemoryProfile?
    ) -> [ProfileChange] {
        let later = entries.filter { $0.number > number }.prefix(max(0, limit)).map { entry in
            let alone = entry.profileIDs.flatMap { $0.count == 1 ? profile($0.lowerBound) : nil }
            return ProfileChange(
                number: entry.number, kind: entry.kind, profileIDs: entry.profileIDs, username: alone?.username,
                revision: alone?.revision, changedAt: entry.stamp.time, author: entry.stamp.author?.name)
        }
        return later.following(number, newest: self.number)
    }
}
