/// A statement with the values of its places: what a connection is asked to run.
package struct Command: Sendable {
    /// Static text, or text that was made of checked names. A connection prepares it once, and deallocates the least
    /// recently used statement where there are too many.
    package let sql: String
    package let values: Values

    package init(_ sql: String, _ values: Values = []) {
        self.sql = sql
        self.values = values
    }
}
