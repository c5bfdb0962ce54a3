internal import ProfileCore
internal import ProfileStore

/// The change log of an in-memory store. Clients read it to watch the store (R7).
struct MemoryLog: Sendable {
    private struct Entry: Sendable {
        let number: Int64
        let kind: ProfileChange.Kind
        let profileIDs: ClosedRange<Int64>?
        var stamp: WriteStamp
    }

    /// The number of the newest change.
    private(set) var number: Int64 = 0
    /// The changes, oldest first. Their numbers are consecutive.
    private var entries: [Entry] = []

    var length: Int { entries.count }

    /// Appends a change. The log keeps the newest `most` changes. Older changes are deleted in groups, so a few of them
    /// may remain for some time.
    mutating func append(
        _ kind: ProfileChange.Kind, _ profileIDs: ClosedRange<Int64>?, _ stamp: WriteStamp, keeping most: Int
    ) {
        number += 1
        entries.append(Entry(number: number, kind: kind, profileIDs: profileIDs, stamp: stamp))
        let most = Int64(max(1, most))
        if number % max(1, most / 100) == 0 { entries.removeAll { $0.number <= number - most } }
    }

    /// Removes the author from every change that the author with this name made. Ignores the case of ASCII letters.
    mutating func forgetAuthor(_ name: String) {
        for index in entries.indices { entries[index].stamp.forgetAuthor(name) }
    }

    /// Returns the changes with numbers greater than `number`. If a change affects a single profile, the method gets
    /// the current state of this profile from the closure `profile`.
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

extension WriteStamp {
    /// Removes the author from the stamp if the author has this name. Ignores the case of ASCII letters.
    mutating func forgetAuthor(_ name: String) {
        guard let author, ComparedText(author.name, in: .username) == ComparedText(name, in: .username) else { return }
        self = WriteStamp(at: time, from: origin, request)
    }
}
