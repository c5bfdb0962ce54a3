/// A statement and the values of its parameters.
package struct Command: Sendable {
    /// The SQL. It is a constant text, or it is built from constants and checked SQL identifiers. A connection prepares
    /// the same SQL only once. If its statement cache is full, it deallocates the least recently used statement.
    package let sql: String
    package let values: Values

    package init(_ sql: String, _ values: Values = []) {
        self.sql = sql
        self.values = values
    }
}
