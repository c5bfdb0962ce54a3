internal import ProfileCore
internal import ProfileStore
internal import ProfileTransfer
internal import TextLayout

/// A correction that the user has made in one row, and that other rows with the same wrong value may need too.
struct CommonCorrection: Sendable {
    /// A wrong value of a field.
    struct Mistake: Hashable {
        let field: FieldName
        let value: String
    }

    let correction: RejectedRowFile.Correction
    /// The title of the field.
    let title: String

    var mistake: Mistake { Mistake(field: correction.field, value: correction.wrong) }

    /// Returns the corrections of a row. Two profiles cannot have the same value in a unique field, so the corrections
    /// of unique fields are not among them.
    static func all(of row: RowToMend, as profile: ValidProfile, in schema: ProfileSchema) -> [CommonCorrection] {
        schema.openFields.compactMap { rules in
            guard !rules.isUnique, !rules.isPrimaryKey, row.issues.contains(where: { $0.field == rules.name }),
                let wrong = row.value(of: rules.name)
            else { return nil }
            let right = profile[rules.name].map(rules.typedForm) ?? ""
            guard right != wrong else { return nil }
            return CommonCorrection(correction: .init(rules.name, from: wrong, to: right), title: rules.title)
        }
    }

    /// Returns the question whether to make the correction in `count` more rows, without a question mark.
    func question(_ count: Int) -> String {
        let wrong = correction.wrong.quoted(longest: 40)
        let rows = count == 1 ? "1 more row has" : "\(count.grouped) more rows have"
        let change =
            correction.right.isEmpty
            ? "Clear the field \(count == 1 ? "there too" : "in all of them")"
            : "Put \(correction.right.quoted(longest: 40)) \(count == 1 ? "there too" : "in all of them")"
        return "\(rows) \(wrong) in \(title.visible). \(change)"
    }

    /// The message for a user who interrupts the storing.
    private static let interrupted =
        "Interrupted: the rows that are not stored have the correction, and an import of the file stores them."

    /// The outcome of a correction.
    struct Made: Sendable {
        var state: Mending.State
        /// The number of corrected rows.
        var corrected = 0
        var stored = 0
        var skipped = 0
        /// The error that ended the work early. The other values describe the work that was done before the error.
        var failure: (any Error)?
    }

    /// Makes the correction in all rows that have the wrong value.
    ///
    /// The corrected rows are first written to the file, and then stored. Then the stored rows are removed from the file.
    /// So each row is in the file or in the store if the process is killed at any time.
    ///
    /// - Parameters:
    ///   - state: The rows before the correction.
    ///   - count: The number of rows that have the wrong value.
    ///   - repository: The store.
    ///   - write: Replaces the file by one with the given rows.
    /// - Returns: The outcome.
    func make(
        in state: Mending.State, count: Int, in repository: ProfileRepository,
        _ write: (Mending.State) async throws -> Void
    ) async -> Made {
        var made = Made(state: state)
        made.state.file = state.file.correcting(correction)
        made.corrected = count
        do {
            try await write(made.state)
            let stored = await state.file.store(correction, without: state.done, in: repository)
            made.state.done.formUnion(stored.numbers)
            (made.stored, made.skipped) = (stored.stored, stored.skipped)
            if !stored.numbers.isEmpty { try await write(made.state) }
            if let failure = stored.failure { throw failure }
        } catch ImportError.store(.cancelled) {
            made.failure = CommandFailure.left(.interrupted, Self.interrupted)
        } catch let error as ImportError {
            made.failure = CommandFailure(error, attempting: .mending)
        } catch {
            made.failure = error
        }
        return made
    }
}
