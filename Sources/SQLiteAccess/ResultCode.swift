/// A result code of SQLite, primary or extended; see <https://www.sqlite.org/rescode.html>.
///
/// If a primary code is used as a pattern, it also matches its extended codes. For example, `case .constraint` catches
/// `.constraintUnique`.
package struct ResultCode: RawRepresentable, Hashable, Sendable {
    /// The extended code as SQLite returns it, with the primary code in the low byte.
    package let rawValue: Int32

    package init(rawValue: Int32) { self.rawValue = rawValue }

    /// The primary code, which is the code without its extension.
    package var primary: ResultCode { ResultCode(rawValue: rawValue & 0xff) }

    package static func ~= (pattern: ResultCode, code: ResultCode) -> Bool {
        pattern == code || pattern == code.primary
    }

    // MARK: Conflicts with other connections

    package static let busy = ResultCode(rawValue: 5)
    package static let locked = ResultCode(rawValue: 6)
    package static let `protocol` = ResultCode(rawValue: 15)

    // MARK: Refused values

    package static let constraint = ResultCode(rawValue: 19)
    package static let constraintCheck = constraint.extended(1)
    package static let constraintForeignKey = constraint.extended(3)
    package static let constraintNotNull = constraint.extended(5)
    package static let constraintPrimaryKey = constraint.extended(6)
    package static let constraintUnique = constraint.extended(8)
    package static let constraintRowID = constraint.extended(10)
    /// The value has a type that the column of a STRICT table does not accept.
    package static let constraintDatatype = constraint.extended(12)
    package static let mismatch = ResultCode(rawValue: 20)
    package static let tooBig = ResultCode(rawValue: 18)

    // MARK: The file

    package static let cantOpen = ResultCode(rawValue: 14)
    package static let corrupt = ResultCode(rawValue: 11)
    package static let notADatabase = ResultCode(rawValue: 26)
    package static let readOnly = ResultCode(rawValue: 8)
    /// The journal of an interrupted transaction must be rolled back first, but a read-only connection cannot roll it
    /// back.
    package static let readOnlyRollback = readOnly.extended(3)
    /// The file was removed or replaced.
    package static let readOnlyMoved = readOnly.extended(4)
    package static let permission = ResultCode(rawValue: 3)
    package static let authorization = ResultCode(rawValue: 23)
    package static let full = ResultCode(rawValue: 13)
    package static let ioError = ResultCode(rawValue: 10)
    package static let ioErrorWrite = ioError.extended(3)
    package static let ioErrorFsync = ioError.extended(4)

    // MARK: The program

    package static let error = ResultCode(rawValue: 1)
    package static let noMemory = ResultCode(rawValue: 7)
    package static let interrupt = ResultCode(rawValue: 9)
    package static let schema = ResultCode(rawValue: 17)
    package static let misuse = ResultCode(rawValue: 21)
    package static let range = ResultCode(rawValue: 25)

    private func extended(_ extension: Int32) -> ResultCode {
        ResultCode(rawValue: rawValue | `extension` << 8)
    }
}
