internal import ProfileCore
internal import ProfileStore

/// The history of an in-memory store (D1).
struct MemoryHistory: Sendable {
    private struct Change: Sendable {
        let number: Int64
        var stamp: WriteStamp
        var counts = HistoryCounts()
        /// The number of the change's last entry.
        var lastEntry: Int64 = 0
        var isRemoved = false
    }

    private struct Entry: Sendable {
        let number: Int64
        let change: Int64
        let time: Timestamp
        let record: HistoryRecord

        func isAbout(_ subject: HistoryList.Subject) -> Bool {
            switch subject {
            case .profile(let id): record.profileIDs.contains(id)
            case .change(let number): change == number
            case .removals(let name):
                record.username.map { ComparedText($0, in: .username) == ComparedText(name, in: .username) } ?? false
            case .all: true
            }
        }
    }

    /// The time for which the history is kept, in milliseconds.
    var keptTime: Int64 = 90 * 86_400_000
    /// The changes, oldest first.
    private var changes = ChunkedList<Change>()
    private var newestEntry: Int64 = 0
    /// The entries, oldest first.
    private var entries = ChunkedList<Entry>()

    mutating func add(_ records: [HistoryRecord], _ stamp: WriteStamp) {
        guard keptTime > 0, !records.isEmpty else { return }
        let begun = stamp.origin.key.flatMap { key in changes.indices.last { changes[$0].stamp.origin.key == key } }
        if begun == nil { changes.append(Change(number: Int64(changes.count + 1), stamp: stamp)) }
        let index = begun ?? changes.count - 1
        for record in records { changes[index].counts.add(record) }
        for record in records {
            newestEntry += 1
            entries.append(
                Entry(number: newestEntry, change: changes[index].number, time: stamp.time, record: record))
        }
        changes[index].lastEntry = newestEntry
        removeExpiredEntries(at: stamp.time, atMost: .max)
    }

    func entries(
        _ list: HistoryList, at time: Timestamp, under schema: ProfileSchema
    ) throws(ProfileStoreError) -> [HistoryEntry] {
        let place = list.after?.part ?? .max
        var found: [HistoryEntry] = []
        for entry in entries.elements.reversed() where entry.time.millisecondsSince1970 > expired(at: time) {
            guard entry.number < place, list.since.map({ entry.time >= $0 }) ?? true,
                entry.isAbout(list.subject)
            else { continue }
            guard found.count < list.limit else { break }
            let stamp = changes[Int(entry.change) - 1].stamp
            found.append(
                try HistoryEntry(
                    change: entry.change, part: entry.number, kind: entry.record.kind.rawValue,
                    profileIDs: entry.record.profileIDs, revision: entry.record.revision, changedAt: entry.time,
                    recorded: entry.record.values.stored, author: stamp.author?.name, command: stamp.origin.command,
                    undoes: stamp.origin.undoes, under: schema))
        }
        return found
    }

    func hasRemoval(_ removed: ConditionalWrites.RemovedProfile) -> Bool {
        entries.elements.contains { entry in
            entry.record.kind == .removed && entry.record.profileIDs.contains(removed.id)
                && entry.record.revision == removed.revision
        }
    }

    func changes(_ list: HistoryChangeList, at time: Timestamp) -> [HistoryChange] {
        let listed = changes.elements.reversed().filter { change in
            !change.isRemoved && change.stamp.time.millisecondsSince1970 > expired(at: time)
                && (!list.onlyImports || change.stamp.origin.source != nil)
                && (list.number.map { $0 == change.number } ?? true)
        }
        return listed.prefix(list.limit).map { change in
            HistoryChange(
                number: change.number, madeAt: change.stamp.time, author: change.stamp.author?.name,
                command: change.stamp.origin.command, source: change.stamp.origin.source,
                undoes: change.stamp.origin.undoes, added: change.counts.added, updated: change.counts.updated,
                removed: change.counts.removed)
        }
    }

    /// Removes some expired entries, and some changes that have no entries any more. Returns the number of removed entries.
    mutating func removeExpired(at time: Timestamp, atMost most: Int) -> Int {
        let count = removeExpiredEntries(at: time, atMost: most)
        let firstEntry = entries.count > 0 ? entries[0].number : .max
        for index in changes.indices.dropLast().filter({ !changes[$0].isRemoved }).prefix(most)
        where changes[index].stamp.time.millisecondsSince1970 <= expired(at: time) {
            changes[index].isRemoved = changes[index].lastEntry < firstEntry
        }
        return count
    }

    @discardableResult
    private mutating func removeExpiredEntries(at time: Timestamp, atMost most: Int) -> Int {
        let expired = expired(at: time)
        guard entries.count > 0, entries[0].time.millisecondsSince1970 <= expired else { return 0 }
        var left = most
        let kept = entries.elements.filter { entry in
            guard left > 0, entry.time.millisecondsSince1970 <= expired else { return true }
            left -= 1
            return false
        }
        defer { entries.replaceAll(with: kept) }
        return entries.count - kept.count
    }

    /// Removes the history of a profile. Returns the usernames under which the profile was removed, and whether any
    /// history entry was removed.
    mutating func erase(_ id: Int64) -> (usernames: [String], isChange: Bool) {
        let own = entries.elements.filter { $0.record.profileIDs == id...id }
        entries.replaceAll(with: entries.elements.filter { $0.record.profileIDs != id...id })
        return (own.compactMap(\.record.username), !own.isEmpty)
    }

    /// Removes the author from every change that the author with this name made. Ignores the case of ASCII letters.
    mutating func forgetAuthor(_ name: String) {
        for index in changes.indices { changes[index].stamp.forgetAuthor(name) }
    }

    /// Returns the expiry limit in milliseconds since 1970. An entry with this time or an earlier time has expired.
    private func expired(at time: Timestamp) -> Int64 {
        time.historyExpiry(keepingFor: keptTime)
    }
}

/// A list in chunks. A copy of the list shares all chunks that do not change. So a copy for each state of a store needs
/// little memory.
private struct ChunkedList<Element: Sendable>: Sendable {
    private static var chunkSize: Int { 256 }
    private var chunks: [[Element]] = []
    private(set) var count = 0

    var indices: Range<Int> { 0..<count }
    var elements: [Element] { chunks.flatMap(\.self) }

    subscript(index: Int) -> Element {
        get { chunks[index / Self.chunkSize][index % Self.chunkSize] }
        set { chunks[index / Self.chunkSize][index % Self.chunkSize] = newValue }
    }

    mutating func append(_ element: Element) {
        if count % Self.chunkSize == 0 { chunks.append([]) }
        chunks[chunks.count - 1].append(element)
        count += 1
    }

    mutating func replaceAll(with elements: [Element]) {
        self = ChunkedList()
        for element in elements { append(element) }
    }
}

extension MemoryState {
    /// Adds changes to the log and to the history.
    mutating func record(_ changes: [LoggedChange], _ stamp: WriteStamp, keeping mostChanges: Int) {
        for change in changes { log.append(change.kind, change.profileIDs, stamp, keeping: mostChanges) }
        history.add(changes.flatMap(\.records), stamp)
    }
}
