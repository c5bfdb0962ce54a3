internal import Platform
internal import ProfileCore
internal import ProfileStore
internal import ProfileStoreSQLite
internal import ProfileTransfer

/// The rows of a file of rejected rows on their way into the store, one after another.
///
/// A row is written to the file as somebody has typed it, then it is stored, and with the next one it leaves the file. So
/// nothing is lost whenever the process is killed: a row that was stored by then says nothing new, by which it is known
/// the next time. The whole file is written anew for that; it takes less time than anybody needs to mend a row.
struct Mending {
    /// What it has come to.
    struct Outcome {
        var stored = 0
        /// Rows that left the file without a question: all that they say is stored already, or they were to be skipped.
        var skipped = 0
        var left = 0
        /// Why it ended before the last row, if nobody chose to.
        var failure: (any Error)?
    }

    let path: String
    let options: ImportOptions
    let repository: ProfileRepository
    let asking: Asking
    /// Files that what is left must not replace.
    let spared: FilePlaces

    /// Offers row after row. However it ends, what is stored has left the file by then, and nothing else has.
    func run() async throws -> Outcome {
        let opened = try InputFile(path)
        guard opened.byteCount != nil else { throw CommandFailure(.usage, Self.needsFile) }
        // Before anybody types anything.
        let rest = try PrivateFile(path, replacing: true, sparing: spared)
        let file = RejectedRowFile(
            ImportInput(descriptor: opened.descriptor, name: path, byteCount: opened.byteCount),
            schema: repository.schema, options: options)
        let count = try file.count()
        let rows = try file.rows()
        var outcome = Outcome()
        var dropped = RangeSet<Int>()
        do {
            while let row = try rows.next() {
                let offered = try await RowToMend(row, of: count, onDuplicate: options.duplicates, in: repository) {
                    [path, spared, dropped] profile in
                    let changed = try PrivateFile(path, replacing: true, sparing: spared)
                    _ = try file.copy(to: changed.descriptor, without: dropped, typed: (row.number, profile))
                    try changed.commit()
                }
                if let offered {
                    guard try await isStored(offered) else { continue }
                    outcome.stored += 1
                } else {
                    outcome.skipped += 1
                }
                dropped.insert(contentsOf: row.number..<row.number + 1)
            }
        } catch is MendingEnded {
        } catch {
            outcome.failure = error
        }
        outcome.left = try file.copy(to: rest.descriptor, without: dropped)
        if outcome.left > 0 { try rest.commit() } else { try rest.removeReplaced() }
        return outcome
    }

    static let needsFile = "mend takes a file, since it writes there what is left."

    /// - Returns: Whether the row is stored, and not left for later.
    private func isStored(_ row: RowToMend) async throws -> Bool {
        switch asking {
        case .onScreen:
            if let stored = row.stored {
                return try await EditForm(repository: repository, stored: stored).run(mending: row) != nil
            }
            return try await RegistrationForm(repository: repository).run(mending: row) != nil
        case .byLine:
            guard try PlainForm.offers(row, in: repository) else { return false }
            var form = PlainForm(mending: row, in: repository)
            _ = try await form.run()
            return true
        }
    }
}
