internal import ProfileCore
internal import ProfileStore
internal import TextLayout

// Profiles as text for a terminal.

extension Profile {
    /// All properties of the profile, one per line.
    var text: String {
        var block = TextBlock()
        for field in fields { block.add(field.rules.title, field.value) }
        block.addGap()
        if schema.hasPassword { block.add("Password", hasPassword ? "set" : "not set") }
        block.add("Id", String(id))
        block.add("Revision", String(revision))
        block.add("Created", createdAt.text)
        block.add("Updated", updatedAt.text)
        block.add("Status", "\(status.rawValue) by schema version \(schemaVersion)")
        for issue in issues { block.add("", issue.message) }
        return block.text
    }
}
