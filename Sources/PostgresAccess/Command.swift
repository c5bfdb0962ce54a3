/// A statement with the values of its places: what a connection is asked to run.
package struct Command: Sendable {
    /// Static text, or what was made of checked names; each connection prepares it once.
    package let sql: String
    package let values: Values

    package init(_ sql: String, _ values: Values = []) {
        self.sql = sql
        self.values = values
    }
}
