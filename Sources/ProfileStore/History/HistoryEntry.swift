internal import ProfileCore

/// An entry of the history: what one change has done to one profile, or to all profiles that a step of an import has
/// added; see ``ProfileRepository/history(of:)``.
///
/// The history contains no passwords, no passcodes and no hashes.
public struct HistoryEntry: Hashable, Sendable {
    /// The number of the change that the entry belongs to; see ``HistoryChange/number``.
    public let change: Int64
    /// The kind of the change. It is never ``ProfileChange/Kind/adopted`` or ``ProfileChange/Kind/missed``. If an undo has
    /// restored a removed profile, the kind is ``ProfileChange/Kind/registered`` and the revision is greater than 1.
    public let kind: ProfileChange.Kind
    /// The ids of the profiles. Only ``ProfileChange/Kind/imported`` may have more than one id.
    public let profileIDs: ClosedRange<Int64>
    /// The revision of the profile after the change. For a removed profile, its last revision. Nil if a passcode was
    /// changed, because this does not raise the revision.
    public let revision: Int64?
    /// The time of the change.
    public let changedAt: Timestamp
    /// The author of the change. Nil if the caller did not specify an author.
    public let author: String?
    /// The command or the program that made the change; see ``ProfileRepository/Options/command``.
    public let command: String?
    /// The number of the change that this change has undone; nil if it is not an undo.
    public let undoes: Int64?
    /// The values that have changed, in the order of the schema's fields. For a removed profile, all its values. Empty
    /// for a registered or imported profile.
    public let values: [ChangedValue]
    /// Whether the change has set a password of a profile that existed already.
    public let setsPassword: Bool
    /// The facts of a removed profile that its values do not contain.
    package let removed: RemovedFacts?
    /// The position among the entries of the change.
    package let part: Int64

    package init(
        change: Int64, part: Int64, kind: ProfileChange.Kind, profileIDs: ClosedRange<Int64>, revision: Int64?,
        changedAt: Timestamp, author: String?, command: String?, undoes: Int64?, values: [ChangedValue],
        setsPassword: Bool, removed: RemovedFacts?
    ) {
        self.change = change
        self.part = part
        self.kind = kind
        self.profileIDs = profileIDs
        self.revision = revision
        self.changedAt = changedAt
        self.author = author
        self.command = command
        self.undoes = undoes
        self.values = values
        self.setsPassword = setsPassword
        self.removed = removed
    }

    /// The change of one value.
    public struct ChangedValue: Hashable, Sendable {
        /// The name of the field. If the schema in force does not have the field, this is the name of its column in the
        /// store. If a field of the schema has the same name as this column, ` (former)` is appended.
        public let field: String
        /// The value before the change; nil if the field was empty.
        public let before: String?
        /// The value after the change; nil if the field is empty, or if the profile was removed.
        public let after: String?

        package init(field: String, before: String?, after: String?) {
            self.field = field
            self.before = before
            self.after = after
        }
    }

    package struct RemovedFacts: Hashable, Sendable {
        package let createdAt: Timestamp
        package let hadPassword: Bool
    }
}

/// A change in the history: one method call of a program, or one command. An import is one change, although it may take
/// many transactions.
public struct HistoryChange: Hashable, Sendable {
    /// The number of the change. On SQLite, a later change has a greater number.
    public let number: Int64
    /// The time at which the change began.
    public let madeAt: Timestamp
    /// The author of the change. Nil if the caller did not specify an author.
    public let author: String?
    /// The command or the program that made the change; see ``ProfileRepository/Options/command``.
    public let command: String?
    /// The file of an import; nil for any other change.
    public let source: String?
    /// The number of the change that this change has undone; nil if it is not an undo.
    public let undoes: Int64?
    /// The number of profiles that the change has added or restored.
    public let added: Int
    /// The number of profiles that the change has edited or updated.
    public let updated: Int
    /// The number of profiles that the change has removed.
    public let removed: Int

    package init(
        number: Int64, madeAt: Timestamp, author: String?, command: String?, source: String?, undoes: Int64?,
        added: Int,
        updated: Int, removed: Int
    ) {
        self.number = number
        self.madeAt = madeAt
        self.author = author
        self.command = command
        self.source = source
        self.undoes = undoes
        self.added = added
        self.updated = updated
        self.removed = removed
    }
}
