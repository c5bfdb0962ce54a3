internal import ProfileCore
internal import ProfileStore
internal import ProfileTransfer
internal import TextLayout

// Profiles as text for a terminal.

extension Profile {
    /// All properties of the profile, one per line.
    var text: String {
        var block = TextBlock()
        for field in fields { block.add(schema.heading(of: .field(field.rules)), field.value) }
        block.addGap()
        if schema.hasPassword { block.add("Password", hasPassword ? "set" : "not set") }
        block.add(schema.heading(of: .fact(.id)), String(id))
        block.add(schema.heading(of: .fact(.revision)), String(revision))
        block.add(schema.heading(of: .fact(.createdAt)), createdAt.text)
        block.add(schema.heading(of: .fact(.updatedAt)), updatedAt.text)
        block.add(schema.heading(of: .fact(.status)), "\(status.rawValue) by schema version \(schemaVersion)")
        for issue in issues { block.add("", issue.message) }
        return block.text
    }
}
