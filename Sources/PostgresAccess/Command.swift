/// A statement and the values of its parameters.
package struct Command: Sendable {
    /// The SQL. It is either a constant text, or it is built from checked names. A connection prepares the same SQL
    /// only once. If the statement cache of a connection is full, the connection deallocates the least recently used
    /// statement.
    package let sql: String
    package let values: Values

    package init(_ sql: String, _ values: Values = []) {
        self.sql = sql
        self.values = values
    }
}
