/// A value that a statement takes: an integer, a text, or nil for NULL.
package protocol StatementValue: Sendable {
    /// Binds a copy of the value.
    func bind(to statement: inout Statement, at index: Int) throws(SQLiteError)
}

extension Int64: StatementValue {
    package func bind(to statement: inout Statement, at index: Int) throws(SQLiteError) {
        try statement.bind(self, at: index)
    }
}

extension Int: StatementValue {
    package func bind(to statement: inout Statement, at index: Int) throws(SQLiteError) {
        try statement.bind(Int64(self), at: index)
    }
}

extension String: StatementValue {
    package func bind(to statement: inout Statement, at index: Int) throws(SQLiteError) {
        try statement.bind(self, at: index)
    }
}

extension Optional: StatementValue where Wrapped: StatementValue {
    package func bind(to statement: inout Statement, at index: Int) throws(SQLiteError) {
        if let self { try self.bind(to: &statement, at: index) } else { try statement.bindNull(at: index) }
    }
}
