/// A statement and the values of its parameters.
package struct Command: Sendable {
    /// The SQL: static text, or text built from checked names. A connection prepares each text once, and deallocates
    /// the least recently used statement when its cache is full.
    package let sql: String
    package let values: Values

    package init(_ sql: String, _ values: Values = []) {
        self.sql = sql
        self.values = values
    }
}
