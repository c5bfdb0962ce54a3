/// The access of a profile's owner to a field. The owner is the person that the profile describes. Programs and
/// operators have every access.
///
/// A store does not know who calls it, so it does not check the access. A service checks the access of an owner with
/// ``ProfileDraft/init(_:ofOwnerIn:)``, ``ProfileDraft/merge(_:ofOwnerIn:)``, ``ProfileSchema/forOwner``,
/// `Profile.ownerJSON` and `HistoryEntry.ownerJSON(in:)`.
public enum OwnerAccess: String, Hashable, Sendable, CaseIterable {
    /// The owner sees and changes the value.
    case edit
    /// The owner sees the value.
    case read
    /// The owner does not see the value, and does not learn that the field exists.
    case hidden
}

extension FieldRules {
    /// The access of a profile's owner to the field. By default, an owner can edit every field except the primary key.
    /// The primary key is read-only by default.
    ///
    /// For the password this is always ``OwnerAccess/edit``.
    public var owner: OwnerAccess { ownerRule ?? (isPrimaryKey ? .read : .edit) }
}

extension ProfileSchema {
    /// The schema as the owner of a profile sees it: without hidden fields and without import settings. Import settings
    /// may contain the names of hidden fields.
    ///
    /// This schema is for forms and for people who ask for the rules. A store validates with the whole schema.
    public var forOwner: ProfileSchema {
        let shown = fields.filter { $0.owner != .hidden }
        let key = shown.firstIndex { $0.isPrimaryKey } ?? 0
        return ProfileSchema(name: name, fields: shown, primaryKeyIndex: key)
    }

    /// Returns the access of an owner to a field; nil if there is no such field. If an owner cannot change the primary key,
    /// an owner cannot change the fields that form it either.
    func ownerAccess(to name: String) -> OwnerAccess? {
        guard let index = FieldName(name).flatMap({ index(of: $0) }) else { return nil }
        let access = fields[index].owner
        return access == .edit && keyParts.contains(index) && primaryKey.owner != .edit ? .read : access
    }
}
