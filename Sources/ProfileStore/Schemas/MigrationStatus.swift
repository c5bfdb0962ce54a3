/// A migration that this program knows, and whether a store has it.
public struct MigrationStatus: Hashable, Sendable {
    /// The name of the migration.
    public let name: String
    /// Whether the store has it.
    public let isApplied: Bool

    package init(name: String, isApplied: Bool) {
        self.name = name
        self.isApplied = isApplied
    }
}
