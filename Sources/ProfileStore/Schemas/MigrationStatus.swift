/// A migration that this program knows, and whether it was applied to a store.
public struct MigrationStatus: Hashable, Sendable {
    /// The name of the migration.
    public let name: String
    /// Whether the migration was applied to the store.
    public let isApplied: Bool

    package init(name: String, isApplied: Bool) {
        self.name = name
        self.isApplied = isApplied
    }
}
