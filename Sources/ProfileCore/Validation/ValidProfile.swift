/// A profile that meets every rule of a schema. Only ``ProfileValidator`` creates a `ValidProfile`, and a store accepts
/// only a `ValidProfile` (R1).
public struct ValidProfile: Sendable {
    /// The rules that the profile meets.
    public let schema: ProfileSchema
    /// The profile, in one row.
    package let rows: ValidProfiles

    init(schema: ProfileSchema, rows: ValidProfiles) {
        self.schema = schema
        self.rows = rows
    }

    /// The stored form of a field's value; nil if the value is absent or the field is secret.
    public subscript(name: FieldName) -> String? {
        guard let index = schema.index(of: name), !schema.fields[index].isSecret else { return nil }
        return rows.text(row: 0, field: index)
    }

    /// The value of the primary key, in its stored form.
    public var username: String { rows.text(row: 0, field: schema.primaryKeyIndex) ?? "" }
}

/// The stored forms of valid profiles, as UTF-8 in one buffer. A bulk operation passes this buffer to the store, so it
/// does not create a `String` for each cell.
///
/// A row has one slot for each field of the schema. The slot of the secret field contains a password hash. The hash
/// comes from the input, or the store computes it from the row's password.
package struct ValidProfiles: Sendable {
    package let fieldCount: Int
    package private(set) var count = 0
    package private(set) var bytes: [UInt8] = []
    private var slots: [Slot] = []
    /// The place of each row in the input.
    package private(set) var origins: [Origin] = []
    /// The passwords that are not hashed yet. The key is the number of the row, from 0.
    package private(set) var passwords: [Int: Secret] = [:]
    /// The rows whose password was validated before it was hashed. In any other row, a hash comes from the input.
    private var rowsWithJudgedHash: Set<Int> = []

    package struct Slot: Sendable {
        package let offset: UInt32
        /// The length in bytes, or `UInt32.max` if the field has no value.
        package let length: UInt32
        static let absent = Slot(offset: 0, length: .max)
        package var isAbsent: Bool { length == .max }
        package var range: Range<Int> { Int(offset)..<Int(offset) + Int(length) }
    }

    /// The place of a row in its input.
    package struct Origin: Sendable {
        /// The number of the row's first physical line, from 1.
        package let line: Int
        /// The number of the record, from 1.
        package let record: Int

        package init(line: Int, record: Int) {
            self.line = line
            self.record = record
        }
    }

    init(fieldCount: Int) { self.fieldCount = fieldCount }

    package func slot(row: Int, field: Int) -> Slot { slots[row * fieldCount + field] }

    /// The canonical text; nil if the value is absent.
    package func text(row: Int, field: Int) -> String? {
        let slot = slot(row: row, field: field)
        return slot.isAbsent ? nil : String(decoding: bytes[slot.range], as: UTF8.self)
    }

    /// Stores the hash of a row's password in the row, and removes the password.
    ///
    /// - Parameters:
    ///   - hash: The hash.
    ///   - isJudged: Whether the password was validated before it was hashed.
    ///   - row: The row, from 0.
    ///   - field: The secret field's position in the schema.
    package mutating func setHash(_ hash: PasswordHash, isJudged: Bool = true, row: Int, field: Int) {
        slots[row * fieldCount + field] = append(hash.text.utf8)
        passwords[row] = nil
        if isJudged { rowsWithJudgedHash.insert(row) }
    }

    package func hashIsJudged(row: Int) -> Bool { !rowsWithJudgedHash.isEmpty && rowsWithJudgedHash.contains(row) }

    /// Creates one buffer from the rows of several profiles. All profiles must meet the rules of `schema`.
    package init(joining profiles: [ValidProfile], of schema: ProfileSchema) {
        self.init(fieldCount: schema.fields.count)
        for profile in profiles {
            let row = profile.rows
            for field in 0..<fieldCount {
                let slot = row.slot(row: 0, field: field)
                slots.append(slot.isAbsent ? .absent : append(row.bytes[slot.range]))
            }
            passwords[count] = row.passwords[0]
            if row.hashIsJudged(row: 0) { rowsWithJudgedHash.insert(count) }
            endRow(Origin(line: count + 1, record: count + 1))
        }
    }

    private mutating func append(_ text: some Collection<UInt8>) -> Slot {
        let offset = bytes.count
        bytes.append(contentsOf: text)
        return Slot(offset: UInt32(offset), length: UInt32(bytes.count - offset))
    }
}

// Methods that build a row field by field; see `RowValidator`.
extension ValidProfiles {
    mutating func reserve(rows: Int, bytes byteCount: Int) {
        slots.reserveCapacity(rows * fieldCount)
        origins.reserveCapacity(rows)
        bytes.reserveCapacity(byteCount)
    }

    @inline(__always)
    mutating func append(_ value: Span<UInt8>) {
        let offset = bytes.count
        value.withUnsafeBufferPointer { bytes.append(contentsOf: $0) }
        slots.append(Slot(offset: UInt32(offset), length: UInt32(value.count)))
    }

    @inline(__always)
    mutating func appendAbsent() { slots.append(.absent) }

    mutating func appendPassword(_ password: Secret) {
        passwords[count] = password
        slots.append(.absent)
    }

    mutating func endRow(_ origin: Origin) {
        origins.append(origin)
        count += 1
    }

    /// Removes the slots of the unfinished row. The bytes of the row stay in the buffer, but no slot refers to them.
    mutating func dropUnfinishedRow() {
        slots.removeLast(slots.count - count * fieldCount)
        passwords[count] = nil
    }

    mutating func removeAll() {
        count = 0
        bytes.removeAll(keepingCapacity: true)
        slots.removeAll(keepingCapacity: true)
        origins.removeAll(keepingCapacity: true)
        passwords.removeAll()
        rowsWithJudgedHash.removeAll()
    }
}
