internal import Platform
internal import ProfileCore
internal import ProfileStore
internal import ProfileStoreSQLite
internal import ProfileTransfer

/// The rows of a file of rejected rows on their way into the store, one after another.
struct Mending {
    /// What it has come to.
    struct Outcome {
        var stored = 0
        /// Rows whose profiles were stored before: mending was killed then before the file could follow.
        var storedBefore = 0
        var left = 0
        /// Why it ended before the last row, if nobody chose to.
        var failure: (any Error)?
    }

    let path: String
    let options: ImportOptions
    let repository: ProfileRepository
    let asking: Asking
    let global: GlobalOptions

    /// Offers row after row. However it ends, what is stored has left the file by then, and nothing else has.
    func run() async throws -> Outcome {
        let counted = try InputFile(path)
        let count = try RejectedRows.count(input(counted), schema: repository.schema, options: options)
        let file = try InputFile(path)
        let rest = try global.outputFile(path, replacing: true)
        let rows = try RejectedRows(
            input(file), schema: repository.schema, options: options, rest: rest.descriptor)
        var outcome = Outcome()
        do {
            while let row = try rows.next() {
                if let row = try await RowToMend(row, of: count, in: repository) {
                    guard try await isStored(row) else { continue }
                    outcome.stored += 1
                } else {
                    outcome.storedBefore += 1
                }
                rows.drop()
            }
        } catch is MendingEnded {
        } catch {
            outcome.failure = error
        }
        try rows.finish()
        outcome.left = rows.leftCount
        if outcome.left > 0 {
            try rest.commit()
        } else {
            try removeFile()
        }
        return outcome
    }

    private func input(_ file: borrowing InputFile) -> ImportInput {
        ImportInput(descriptor: file.descriptor, name: file.path, byteCount: file.byteCount)
    }

    /// - Returns: Whether the row is stored, and not left for later.
    private func isStored(_ row: RowToMend) async throws -> Bool {
        do {
            switch asking {
            case .onScreen: _ = try await RegistrationForm(repository: repository).run(mending: row)
            case .byLine:
                guard try PlainForm.offers(row, in: repository) else { return false }
                var form = PlainForm(mending: row, in: repository)
                _ = try await form.run()
            }
            return true
        } catch is RowLeft {
            return false
        }
    }

    private func removeFile() throws(CommandFailure) {
        guard unlink(path) == 0 else { throw .cannotWrite(path, errno) }
    }
}
