internal import ProfileCore
internal import ProfileStore

/// The history of an in-memory store (D1).
struct MemoryHistory: Sendable {
    private struct Change: Sendable {
        let number: Int64
        var stamp: WriteStamp
        var counts = HistoryCounts()
    }

    private struct Entry: Sendable {
        let change: Int64
        let part: Int64
        let time: Timestamp
        let record: HistoryRecord
    }

    /// The time for which the history is kept, in milliseconds.
    var keptTime: Int64 = 90 * 86_400_000
    /// The changes, oldest first.
    private var changes: [Change] = []
    /// The entries in the order of their changes and parts.
    private var entries: [Entry] = []

    mutating func add(_ records: [HistoryRecord], _ stamp: WriteStamp) {
        guard keptTime > 0, !records.isEmpty else { return }
        let begun = stamp.origin.key.flatMap { key in changes.firstIndex { $0.stamp.origin.key == key } }
        if begun == nil { changes.append(Change(number: Int64(changes.count + 1), stamp: stamp)) }
        let index = begun ?? changes.count - 1
        for record in records { changes[index].counts.add(record) }
        let change = changes[index]
        var part = entries.last { $0.change == change.number }?.part ?? 0
        for record in records {
            part += 1
            entries.append(Entry(change: change.number, part: part, time: stamp.time, record: record))
        }
        // An earlier change may have had further transactions.
        if stamp.origin.key != nil { entries.sort { ($0.change, $0.part) < ($1.change, $1.part) } }
        removeExpired(at: stamp.time, atMost: .max)
    }

    func entries(
        _ list: HistoryList, at time: Timestamp, under schema: ProfileSchema
    ) throws(ProfileStoreError) -> [HistoryEntry] {
        let place = list.after.map { ($0.change, $0.part) } ?? (.max, .max)
        var found: [HistoryEntry] = []
        for entry in entries.reversed() where entry.time.millisecondsSince1970 > expired(at: time) {
            guard (entry.change, entry.part) < place, list.since.map({ entry.time >= $0 }) ?? true,
                entry.record.isAbout(list.subject)
            else { continue }
            guard found.count < list.limit else { break }
            let stamp = changes.first { $0.number == entry.change }?.stamp
            found.append(
                try HistoryEntry(
                    change: entry.change, part: entry.part, kind: entry.record.kind.rawValue,
                    profileIDs: entry.record.profileIDs, revision: entry.record.revision, changedAt: entry.time,
                    recorded: entry.record.values.stored, author: stamp?.author?.name, command: stamp?.origin.command,
                    under: schema))
        }
        return found
    }

    func changes(_ list: HistoryChangeList, at time: Timestamp) -> [HistoryChange] {
        let listed = changes.reversed().filter { change in
            change.stamp.time.millisecondsSince1970 > expired(at: time)
                && (!list.onlyImports || change.stamp.origin.source != nil)
        }
        return listed.prefix(list.limit).map { change in
            HistoryChange(
                number: change.number, madeAt: change.stamp.time, author: change.stamp.author?.name,
                command: change.stamp.origin.command, source: change.stamp.origin.source, added: change.counts.added,
                updated: change.counts.updated, removed: change.counts.removed)
        }
    }

    /// Removes expired entries. Returns the number of removed entries.
    @discardableResult
    mutating func removeExpired(at time: Timestamp, atMost most: Int) -> Int {
        let before = entries.count
        let expired = expired(at: time)
        var left = most
        entries.removeAll { entry in
            guard left > 0, entry.time.millisecondsSince1970 <= expired else { return false }
            left -= 1
            return true
        }
        return before - entries.count
    }

    /// Removes the history of a profile, and returns the usernames under which the profile was removed.
    mutating func erase(_ id: Int64) -> (usernames: [String], isChange: Bool) {
        let own = entries.filter { $0.record.profileIDs == id...id }
        entries.removeAll { $0.record.profileIDs == id...id }
        return (own.compactMap(\.record.username), !own.isEmpty)
    }

    /// Forgets the author with a name.
    mutating func forgetAuthor(_ name: String) {
        for index in changes.indices { changes[index].stamp.forgetAuthor(name) }
    }

    /// The latest time at which an entry has expired.
    private func expired(at time: Timestamp) -> Int64 {
        keptTime == 0 ? .max : time.advanced(byMilliseconds: -keptTime).millisecondsSince1970
    }
}

extension HistoryRecord {
    fileprivate func isAbout(_ subject: HistoryList.Subject) -> Bool {
        switch subject {
        case .profile(let id): profileIDs.contains(id)
        case .removals(let name):
            username.map { ComparedText($0, in: .username) == ComparedText(name, in: .username) } ?? false
        case .all: true
        }
    }
}

extension MemoryState {
    /// Adds changes to the log and to the history.
    mutating func record(_ changes: [LoggedChange], _ stamp: WriteStamp, keeping mostChanges: Int) {
        for change in changes { log.append(change.kind, change.profileIDs, stamp, keeping: mostChanges) }
        history.add(changes.flatMap(\.records), stamp)
    }
}
