internal import ProfileCore
internal import Threads

/// The outcomes of the rows of a batch. After an engine has run the batch, the ledger adds them to the report.
struct RowOutcomes: Sendable {
    let batch: ReadBatch
    var imported = 0
    var updated = 0
    var skipped = 0
    /// The positions and the issues of the rejected records, in the order of the input.
    private(set) var rejected: [(record: Int, issues: [ValidationIssue])] = []
    /// The unique values of the rows of the batch, except the rejected rows.
    private(set) var keys: UniqueKeys
    private var rememberedRows: [Int] = []
    private var rowsOfBatch: ValidProfiles?
    private var rememberedMerges: [(row: ValidProfiles, line: Int)] = []
    private var givenUp: [(value: String, name: FieldName)] = []

    init(of batch: ReadBatch, keys: UniqueKeys) {
        self.batch = batch
        self.keys = keys
    }

    mutating func reject(_ record: Int, _ issues: [ValidationIssue]) { rejected.append((record, issues)) }

    /// Remembers the unique values of a row of the batch.
    mutating func remember(_ row: Int, of rows: ValidProfiles, line: Int) {
        if rowsOfBatch == nil { rowsOfBatch = rows }
        rememberedRows.append(row)
        rows.bytes.withUnsafeBufferPointer { bytes in keys.remember(row, of: rows, bytes, line: line) }
    }

    /// Remembers the unique values of a merged profile.
    mutating func remember(_ merged: ValidProfiles, line: Int) {
        rememberedMerges.append((merged, line))
        merged.bytes.withUnsafeBufferPointer { bytes in keys.remember(0, of: merged, bytes, line: line) }
    }

    /// Remembers a unique value that an update would remove from a stored profile. In a dry run, a later row may then
    /// have this value.
    mutating func giveUp(_ value: String, of name: FieldName) {
        givenUp.append((value, name))
        keys.giveUp(value, of: name)
    }

    /// Adds the unique values of this batch to the unique values of the earlier rows.
    func add(to brought: inout UniqueKeys) {
        if let rows = rowsOfBatch {
            rows.bytes.withUnsafeBufferPointer { bytes in
                for row in rememberedRows {
                    brought.remember(row, of: rows, bytes, line: rows.origins[row].line)
                }
            }
        }
        for (merged, line) in rememberedMerges {
            merged.bytes.withUnsafeBufferPointer { bytes in brought.remember(0, of: merged, bytes, line: line) }
        }
        for (value, name) in givenUp { brought.giveUp(value, of: name) }
    }
}

/// The unique values found in the input so far. While an engine runs a batch, ``RowOutcomes`` has the values of the
/// batch. After the run, the import adds them to `keys`.
final class BroughtKeys: Sendable {
    let keys: Locked<UniqueKeys>

    init(of schema: ProfileSchema) { keys = Locked(UniqueKeys(of: schema)) }
}
