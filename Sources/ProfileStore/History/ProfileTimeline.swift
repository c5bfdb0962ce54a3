/// The history of one profile, divided into changes that have an effect and undone changes. Finds out whether an entry
/// can be undone.
///
/// An undo cancels the change that it undoes, and a redo cancels the undo. So a change can be undone although later
/// changes were made, if all of them are cancelled.
struct ProfileTimeline {
    /// Whether an entry can be undone.
    enum State {
        /// No later change has an effect, so the entry can be undone.
        case isLast
        /// Later changes have an effect.
        case isChangedSince
        case isUndone
    }

    /// The entries that have an effect, oldest first.
    private var effective: [HistoryEntry] = []
    /// The undone entries, each with its undo, in the order of the undos. `place` is the number of entries that still
    /// had an effect after the undo.
    private var undone: [(entry: HistoryEntry, undo: HistoryEntry, place: Int)] = []

    /// - Parameters:
    ///   - entries: The history of the profile, newest first.
    ///   - ignoresPasswords: Whether an entry that has only set a password has no effect.
    init(_ entries: [HistoryEntry], ignoresPasswords: Bool) {
        for entry in entries.reversed()
        where entry.revision != nil && (entry.changesProfile || entry.setsPassword && !ignoresPasswords) {
            if let target = entry.undoes {
                if effective.last?.change == target, let last = effective.popLast() {
                    undone.append((last, entry, effective.count))
                    continue
                }
                if let last = undone.last, last.undo.change == target, last.place == effective.count {
                    effective.append(last.entry)
                    undone.removeLast()
                    continue
                }
            }
            effective.append(entry)
        }
    }

    /// Returns the state of an entry.
    ///
    /// - Parameters:
    ///   - entry: The entry.
    ///   - isWhole: Whether the entries of the same change are undone together with this one.
    /// - Returns: The state.
    func state(of entry: HistoryEntry, withItsChange isWhole: Bool) -> State {
        if let place = effective.lastIndex(where: { $0.isSame(as: entry) }) {
            let later = effective[(place + 1)...]
            let isLast = isWhole ? later.allSatisfy { $0.change == entry.change } : later.isEmpty
            return isLast ? .isLast : .isChangedSince
        }
        guard let place = undone.lastIndex(where: { $0.undo.isSame(as: entry) }) else { return .isUndone }
        let later = undone[(place + 1)...]
        let isLast =
            undone.last?.place == effective.count
            && (isWhole ? later.allSatisfy { $0.undo.change == entry.change } : later.isEmpty)
        return isLast ? .isLast : .isChangedSince
    }
}

extension HistoryEntry {
    /// Whether the change has added or removed the profile, or has changed one of its values. If a merge changed no
    /// value of the kept profile, there is nothing to undo for this profile. The entry of the merge must then not
    /// prevent the undo of an earlier change.
    fileprivate var changesProfile: Bool { !isUpdate || !values.isEmpty }

    private var isUpdate: Bool { kind == .edited || kind == .updated }

    fileprivate func isSame(as other: HistoryEntry) -> Bool { change == other.change && part == other.part }
}
