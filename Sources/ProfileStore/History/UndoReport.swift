internal import ProfileCore

/// The outcome of an undo; see ``ProfileRepository/undo(_:overridingLaterChanges:isPreview:by:)``.
public struct UndoReport: Hashable, Sendable {
    /// The undone change.
    public let change: HistoryChange
    /// The number of profiles that the change had added, and that the undo has removed.
    public internal(set) var removed = 0
    /// The number of profiles that have their previous values again.
    public internal(set) var reverted = 0
    /// The number of profiles that the change had removed, and that the undo has restored.
    public internal(set) var restored = 0
    /// The number of restored profiles that had a password. They need a reset, because removed passwords are not kept.
    public internal(set) var needReset = 0
    /// The number of passwords and passcodes that the change has set or removed. An undo never reverts them.
    public internal(set) var keptSecrets = 0
    /// The number of profiles for which there was nothing to do, because the change was undone before or the profile has
    /// the previous values.
    public internal(set) var unchanged = 0
    /// The number of profiles that the undo has left as they are. Profiles that it has reverted in part do not count.
    public internal(set) var leftCount = 0
    /// The first 1,000 profiles that the undo has not reverted, or has reverted only in part.
    public private(set) var left: [Left] = []

    /// A profile that an undo has not reverted, or has reverted only in part.
    public struct Left: Hashable, Sendable {
        /// The id of the profile.
        public let profileID: Int64
        /// The username; nil if the profile is removed.
        public let username: String?
        /// The reason.
        public let reason: Reason
    }

    /// The reason why an undo has not reverted a profile, or has reverted it only in part.
    public enum Reason: Hashable, Sendable {
        /// The profile was changed or removed afterwards.
        case changedSince
        /// The previous values would be invalid, or other profiles have some of them.
        case refused(ProfileRefusal)
        /// The rules in force do not have these fields. The other values are reverted.
        case formerFields([String])
    }

    /// The number of profiles that the undo has changed.
    public var changedCount: Int { removed + reverted + restored }

    init(of change: HistoryChange) { self.change = change }

    mutating func leave(_ id: Int64, _ username: String?, _ reason: Reason) {
        if left.count < Self.mostListed { left.append(Left(profileID: id, username: username, reason: reason)) }
        if case .formerFields = reason { return }
        leftCount += 1
    }

    private static let mostListed = 1_000
}
