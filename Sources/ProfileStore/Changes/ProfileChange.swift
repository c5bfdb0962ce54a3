/// A change of a store's profiles or rules; see ``ProfileRepository/Changes/stream(after:)``.
///
/// The log keeps only the ids of profiles, and no names or values. So no data of a removed profile remains in it.
/// ``username`` and ``revision`` are looked up when the change is read, so they are the profile's present values.
public struct ProfileChange: Hashable, Sendable {
    /// The kind of a change.
    public enum Kind: String, CaseIterable, Sendable {
        /// A profile was registered.
        case registered
        /// A profile was edited.
        case edited
        /// A password or a passcode was set, replaced or removed. Imports do not log this kind: ``imported`` and
        /// ``updated`` may include new passwords.
        case credentialChanged = "credential_changed"
        /// A profile was removed.
        case removed
        /// An import added every profile of ``ProfileChange/profileIDs``.
        case imported
        /// An import updated profiles in ``ProfileChange/profileIDs``. Other profiles in this range may be unchanged.
        case updated
        /// Another schema was put in force.
        case adopted
        /// The log no longer has the changes up to ``ProfileChange/number``. Any profile may have changed.
        case missed
    }

    /// The number of the change in the order of all changes, from 1. A listener that continues after this number misses
    /// no change.
    public let number: Int64
    /// The kind of the change.
    public let kind: Kind
    /// The ids of the changed profiles. For ``Kind/updated``, a range that contains these ids. Nil for ``Kind/adopted``
    /// and ``Kind/missed``.
    public let profileIDs: ClosedRange<Int64>?
    /// The present username of the profile; nil if the change has several profiles, or if the profile was removed.
    public let username: String?
    /// The present revision of the profile; nil if the change has several profiles, or if the profile was removed.
    public let revision: Int64?
    /// The time of the change; nil for ``Kind/missed``.
    public let changedAt: Timestamp?
    /// The author that the caller named; nil if the caller named none.
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

    /// The change for a listener that is behind the oldest change of the log.
    package static func missed(upTo number: Int64) -> ProfileChange {
        ProfileChange(
            number: number, kind: .missed, profileIDs: nil, username: nil, revision: nil, changedAt: nil,
            author: nil)
    }
}

extension [ProfileChange] {
    /// Returns the changes that follow the change with this number without a gap. If there are none, although the
    /// newest change of the log has another number, returns one change of the kind `missed`. Numbers have no gaps, so a
    /// change after a gap does not continue the log that the caller knows.
    package func following(_ number: Int64, newest: Int64) -> [ProfileChange] {
        let following = enumerated().prefix { $0.element.number == number + 1 + Int64($0.offset) }.map(\.element)
        return following.isEmpty && number != newest ? [.missed(upTo: newest)] : following
    }
}
