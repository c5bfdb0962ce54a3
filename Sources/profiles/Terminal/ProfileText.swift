internal import ProfileCore
internal import ProfileStore
internal import TextLayout

// Profiles as a person reads them in a terminal.

extension Profile {
    /// All that is known of the profile, one field a line.
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
