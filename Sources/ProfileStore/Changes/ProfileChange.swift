/// Something that happened to a store's profiles or rules, as those who watch the store are told; see
/// ``ProfileRepository/Changes/stream(after:)``.
///
/// The store remembers ids alone, so that nothing of a removed profile stays. ``username`` and ``revision`` are looked
/// up when the change is read: they are those of now, not of then.
public struct ProfileChange: Hashable, Sendable {
    /// What happened.
    public enum Kind: String, CaseIterable, Sendable {
        /// A profile was registered.
        case registered
        /// A profile was edited.
        case edited
        /// A password or a passcode was set, replaced or removed, and with it who may log in. Imports say nothing of it:
        /// ``imported`` and ``updated`` may have brought passwords.
        case credentialChanged = "credential_changed"
        /// A profile was removed.
        case removed
        /// An import added every profile of ``ProfileChange/profileIDs``.
        case imported
        /// An import updated profiles, which lie in ``ProfileChange/profileIDs``; those between may be as they were.
        case updated
        /// Another schema was put in force.
        case adopted
        /// Too much has happened since: what happened up to ``ProfileChange/number`` is not known any more, so that
        /// everything may have changed.
        case missed
    }

    /// Where the change stands in the order of all changes of the store, from 1. Going on after it misses nothing.
    public let number: Int64
    /// What happened.
    public let kind: Kind
    /// The profiles that it happened to, or, for ``Kind/updated``, a range in which they lie; nil for ``Kind/adopted``
    /// and ``Kind/missed``.
    public let profileIDs: ClosedRange<Int64>?
    /// What the profile is called now; nil where there are several, or it was removed.
    public let username: String?
    /// The profile's revision now; nil where there are several, or it was removed.
    public let revision: Int64?
    /// When it happened; nil for ``Kind/missed``.
    public let changedAt: Timestamp?
    /// Who did it, as the caller said; nil where nobody did.
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

    /// What somebody is told who has fallen back behind what is remembered.
    package static func missed(upTo number: Int64) -> ProfileChange {
        ProfileChange(
            number: number, kind: .missed, profileIDs: nil, username: nil, revision: nil, changedAt: nil,
            author: nil)
    }
}
