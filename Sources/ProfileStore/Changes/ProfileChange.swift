/// A change of a store's profiles or rules; see ``ProfileRepository/Changes/stream(after:)``.
///
/// The log identifies profiles only by their ids. It contains no usernames and no values, so it contains no data of
/// removed profiles. When a change is read, ``username`` and ``revision`` are read from the profile. So they are the
/// profile's present values.
public struct ProfileChange: Hashable, Sendable {
    /// The kind of a change.
    public enum Kind: String, CaseIterable, Sendable {
        /// A profile was registered, or an undo has restored it.
        case registered
        /// A profile was edited.
        case edited
        /// A password or a passcode was set, replaced or removed. An import never logs this kind. If an import sets
        /// passwords, it logs only ``imported`` or ``updated``.
        case credentialChanged = "credential_changed"
        /// A profile was removed.
        case removed
        /// An import, or a registration of many profiles, added every profile of ``ProfileChange/profileIDs``.
        case imported
        /// An import, an edit of many profiles, a merge or an undo has updated some profiles in the range
        /// ``ProfileChange/profileIDs``. The range may also contain profiles that did not change.
        case updated
        /// The store adopted another schema.
        case adopted
        /// Some changes up to ``ProfileChange/number`` are no longer in the log. Any profile may have changed.
        case missed
    }

    /// The number of the change. Numbers start at 1 and rise in the order in which listeners receive the changes. If a
    /// listener has handled this change, it can continue after this number, and it misses no change.
    public let number: Int64
    /// The kind of the change.
    public let kind: Kind
    /// The ids of the changed profiles. If the kind is ``Kind/updated``, the range may also contain other ids. Nil for
    /// ``Kind/adopted`` and ``Kind/missed``.
    public let profileIDs: ClosedRange<Int64>?
    /// The present username of the profile. Nil if the change affects several profiles, or if the profile was removed.
    public let username: String?
    /// The present revision of the profile. Nil if the change affects several profiles, or if the profile was removed.
    public let revision: Int64?
    /// The time of the change; nil for ``Kind/missed``.
    public let changedAt: Timestamp?
    /// The author of the change. Nil if the caller did not specify an author.
    public let author: String?

    package init(
        number: Int64, kind: Kind, profileIDs: ClosedRange<Int64>?, username: String?, revision: Int64?,
        changedAt: Timestamp?, author: String?
    ) {
        self.number = number
        self.kind = kind
        self.profileIDs = profileIDs
        self.username = username
        self.revision = revision
        self.changedAt = changedAt
        self.author = author
    }

    /// Creates a change of the kind ``Kind/missed``. A listener receives it if the log no longer contains the changes
    /// that the listener should receive next.
    package static func missed(upTo number: Int64) -> ProfileChange {
        ProfileChange(
            number: number, kind: .missed, profileIDs: nil, username: nil, revision: nil, changedAt: nil,
            author: nil)
    }
}

extension [ProfileChange] {
    /// Returns the changes whose numbers directly follow `number`. The result ends at the first missing number. A log
    /// has no gaps, so a change after a gap does not continue the log that the listener knows. If the next number is
    /// missing and `number` is not the newest number, returns one change of the kind `missed`.
    package func following(_ number: Int64, newest: Int64) -> [ProfileChange] {
        let following = enumerated().prefix { $0.element.number == number + 1 + Int64($0.offset) }.map(\.element)
        return following.isEmpty && number != newest ? [.missed(upTo: newest)] : following
    }
}
