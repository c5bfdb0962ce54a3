// Reads drafts and patches from the owner of a profile: the person whose data the profile contains.
extension ProfileDraft {
    /// Reads the draft of a person who registers; see ``init(_:)-(JSONValue)``. The draft may contain the primary key,
    /// the fields that form it, the password, and the fields that an owner may edit.
    ///
    /// - Throws: An error as from ``init(_:)-(JSONValue)``; `unknownName` for a hidden or unknown field and for
    ///   `password_hash`; `readOnly` for any other field that an owner only reads.
    public init(_ json: JSONValue, ofOwnerIn schema: ProfileSchema) throws(JSONMemberError) {
        try self.init(json)
        let key = [schema.primaryKeyIndex] + schema.keyParts
        try json.requireNames(of: schema) { name in key.contains { schema.fields[$0].name.text == name } }
    }

    /// Applies a merge patch that the owner of the profile sent; see ``merge(_:)-(JSONValue)``. The patch may repeat a
    /// value that the owner only reads.
    ///
    /// - Parameters:
    ///   - patch: The patch. For a field that the owner only reads, the text in the patch must be the stored value.
    ///   - schema: The rules in force.
    /// - Throws: An error as from ``merge(_:)-(JSONValue)``; `unknownName` for a hidden or unknown field and for
    ///   `password_hash`; `readOnly` if the patch changes a field that an owner only reads. Also `readOnly` if the
    ///   patch contains a password, because an owner must prove the old password to change it. If the method throws an
    ///   error, the draft is unchanged.
    public mutating func merge(_ patch: JSONValue, ofOwnerIn schema: ProfileSchema) throws(JSONMemberError) {
        var changes = try ProfileDraft(patch)
        if changes.password != nil { throw JSONMemberError(.readOnly, at: FieldName.password.text) }
        var repeated: [String] = []
        try patch.requireNames(of: schema) { name in
            let present = self[name]?.text ?? (name == schema.primaryKey.name.text ? stored?.key : nil)
            guard changes[name]?.text == present else { return false }
            repeated.append(name)
            return true
        }
        for name in repeated { changes[name] = nil as DraftValue? }
        guard !changes.clearedNames.contains(FieldName.password.text) else {
            throw JSONMemberError(.notClearable, at: FieldName.password.text)
        }
        merge(changes)
    }
}

extension JSONValue {
    /// Checks the names of an object that an owner has sent. `isAllowed` returns whether the object may have a field that
    /// an owner only reads.
    fileprivate func requireNames(
        of schema: ProfileSchema, orReading isAllowed: (String) -> Bool
    ) throws(JSONMemberError) {
        guard case .object(let members) = self else { return }
        for member in members {
            switch schema.ownerAccess(to: member.name) {
            case .edit: break
            case .read where isAllowed(member.name): break
            case .read: throw JSONMemberError(.readOnly, at: member.name)
            case .hidden, nil:
                throw JSONMemberError(.unknownName(known: schema.forOwner.fields.map(\.name.text)), at: member.name)
            }
        }
    }
}
