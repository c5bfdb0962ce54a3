internal import ProfileCore
internal import Threads

// Undoing the changes of the history (D2).
extension ProfileRepository {
    /// Reverts a change of the history: removes the profiles that it has added, gives edited profiles their previous
    /// values again, and restores removed profiles with their ids. To revert an undo, pass the change that the undo
    /// made.
    ///
    /// An undo is a change like any other: the rules in force validate it, it is recorded in the history, and it can be
    /// undone. Each transaction writes up to a thousand profiles. If an undo was interrupted, another call continues it.
    ///
    /// Some profiles are left as they are: profiles that were changed afterwards, profiles that would be invalid, and
    /// profiles whose username or unique value another profile has now. Passwords and passcodes are never reverted.
    /// Restored profiles have no password and no sessions.
    /// - Parameters:
    ///   - change: The change; see ``historyChange(_:)``.
    ///   - overridesLaterChanges: Whether profiles that were changed afterwards are reverted too. Only the values that the
    ///     undone change has changed are reverted.
    ///   - isPreview: Whether nothing is written. A preview does not detect duplicates of unique values.
    ///   - author: The author of the undo.
    /// - Returns: The numbers of changed profiles, and the profiles that are left as they are.
    /// - Throws: The error that stopped the undo, such as `busy`, with a report of the previous transactions.
    public func undo(
        _ change: HistoryChange, overridingLaterChanges overridesLaterChanges: Bool = false, isPreview: Bool = false,
        by author: Author? = nil
    ) async throws(StoppedWrite<UndoReport>) -> UndoReport {
        defer { tokenLooks.forget() }
        var undo = Undo(
            of: change, overridesLaterChanges: overridesLaterChanges, isPreview: isPreview, by: author)
        do throws(ProfileStoreError) {
            let change = try await changeBehind(change)
            undo.origin = ChangeOrigin(ofManyTransactionsUndoing: change.number)
            var pages = EntryPages(of: change)
            while let page = try await pages.next(in: self) {
                for entry in page { try await undo.add(entry, to: self) }
            }
            try await undo.finish(in: self)
        } catch {
            throw StoppedWrite(error, after: undo.report)
        }
        return undo.report
    }

    /// Returns the newest change that ``undo(_:overridingLaterChanges:isPreview:by:)`` should revert next: the newest
    /// one that is neither undone nor an undo. If the last undo was interrupted, returns the change that it has undone in
    /// part. A change that has only set passwords or passcodes, or whose profiles are erased, cannot be reverted and is
    /// left out. Nil if there is none.
    public func changeToUndo() async throws(ProfileStoreError) -> HistoryChange? {
        let changes = try await historyChanges(limit: Self.mostChangesToSearch)
        if let change = try await changeUndoneInPart(in: changes), change.undoes == nil { return change }
        let undone = Self.undone(in: changes)
        for change in changes where change.undoes == nil && !undone.contains(change.number) {
            if try await isRevertible(change) { return change }
        }
        return nil
    }

    /// Returns the newest undo that is not reverted itself, or that an interrupted call has reverted in part; nil if there
    /// is none. Pass it to ``undo(_:overridingLaterChanges:isPreview:by:)`` to revert it.
    public func changeToRedo() async throws(ProfileStoreError) -> HistoryChange? {
        let changes = try await historyChanges(limit: Self.mostChangesToSearch)
        if let undo = try await changeUndoneInPart(in: changes), undo.undoes != nil { return undo }
        let undone = Self.undone(in: changes)
        let undos = Set(changes.filter { $0.undoes != nil }.map(\.number))
        return changes.first { change in
            guard let target = change.undoes else { return false }
            return !undos.contains(target) && !undone.contains(change.number)
        }
    }

    private func isRevertible(_ change: HistoryChange) async throws(ProfileStoreError) -> Bool {
        var pages = EntryPages(of: change)
        while let page = try await pages.next(in: self) {
            if page.contains(where: \.isRevertible) { return true }
        }
        return false
    }

    /// If the newest change is an undo that was interrupted, returns the change that it has undone in part. If the
    /// newest change is an interrupted redo, the returned change is an undo. Returns nil in any other case.
    private func changeUndoneInPart(in changes: [HistoryChange]) async throws(ProfileStoreError) -> HistoryChange? {
        guard let newest = changes.first, let target = newest.undoes,
            let change = changes.first(where: { $0.number == target }), !newest.isWholeUndo(of: change),
            try await isUndoneInPart(change)
        else { return nil }
        return change
    }

    private func isUndoneInPart(_ change: HistoryChange) async throws(ProfileStoreError) -> Bool {
        do throws(StoppedWrite<UndoReport>) {
            return try await undo(change, isPreview: true).changedCount > 0
        } catch {
            throw error.error
        }
    }

    /// Finds out which changes are undone.
    ///
    /// - Parameter changes: The changes, newest first.
    /// - Returns: The numbers of the undone changes.
    private static func undone(in changes: [HistoryChange]) -> Set<Int64> {
        var undone: Set<Int64> = []
        // The newest change comes first. So when the loop reaches an undo, it already knows whether the undo is undone.
        for change in changes where !undone.contains(change.number) {
            if let target = change.undoes { undone.insert(target) }
        }
        return undone
    }

    /// Returns the change whose entries must be reverted to undo `change`. Usually this is `change` itself. If `change`
    /// is an undo of an undo, this is the change that the earlier undo reverted.
    private func changeBehind(_ change: HistoryChange) async throws(ProfileStoreError) -> HistoryChange {
        guard let undo = change.undoes, let first = try await historyChange(undo).undoes else { return change }
        return try await changeBehind(historyChange(first))
    }

    /// Returns a change of the history.
    ///
    /// - Throws: `beyondHistory` if the history does not have it.
    public func historyChange(_ number: Int64) async throws(ProfileStoreError) -> HistoryChange {
        let list = HistoryChangeList(number: number)
        let changes = try await ask(.readHistory, rows: \.count, await engine.historyChanges(list, at: options.now()))
        guard let change = changes.first else { throw .beyondHistory }
        return change
    }

    private static var mostChangesToSearch: Int { 10_000 }
}

extension HistoryChange {
    /// Whether the numbers of profiles show that this change has undone another one completely.
    fileprivate func isWholeUndo(of change: HistoryChange) -> Bool {
        (removed, updated, added) == (change.added, change.updated, change.removed)
    }
}
