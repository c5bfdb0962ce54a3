internal import ProfileStore
internal import ProfileCore

/// A schema of the store, with the SQL for it.
final class RulesInForce: Sendable {
    let adopted: AdoptedSchema
    let table: ProfileTable

    var schema: ProfileSchema { adopted.schema }
    var version: Int { adopted.version }

    init(_ adopted: AdoptedSchema) {
        self.adopted = adopted
        table = ProfileTable(adopted.schema)
    }
}
