internal import Platform
internal import ProfileCore
internal import ProfileStore
internal import ProfileStoreSQLite
internal import ProfileTransfer
internal import TerminalUI
internal import TextLayout
internal import Threads

/// Shows the rows of a file of rejected rows to the user one after another for correction, and stores the corrected
/// rows.
///
/// When the user has corrected a row, the row is first written to the file, and then stored. The row is removed from
/// the file when the next corrected row is written. So nothing is lost if the process is killed at any time: the next
/// run skips a row whose values are stored already. The whole file is rewritten for each row. This takes less time than
/// a user needs to mend a row. If another program has replaced or changed the file meanwhile, the file is neither
/// overwritten nor removed; see ``FileClaim``. The run first makes a private copy of the file, and reads the rows from
/// the copy. So no row is lost if another program shortens the file.
///
/// If other rows have a wrong value that the user has corrected, the user may correct it in all of them at once; see
/// ``CommonCorrection``.
struct Mending {
    /// The result of a run.
    struct Outcome {
        var stored = 0
        /// The number of rows that got the correction of another row. They were stored, or remain in the file.
        var corrected = 0
        /// The number of rows that were not offered. A row is not offered if its values are already stored. It is also
        /// not offered if its profile is stored and the options skip such rows.
        var skipped = 0
        /// The number of rows that the user has deleted from the file.
        var dropped = 0
        /// The number of rows that remain in the file.
        var left = 0
        /// Whether no row of the file needs to be mended. If no row was stored or dropped, the skipped rows remain in
        /// the file.
        var isComplete: Bool { left == (stored + dropped == 0 ? skipped : 0) }
        /// Whether the file was removed, because no row was left.
        var isRemoved = false
        /// The path of the file with the remaining rows. If another program has replaced or changed the original file,
        /// this is the path of a new file.
        var place: String
        /// Whether another program has replaced or changed the file. This run then neither overwrites nor removes that
        /// file.
        var isDisplaced = false
        /// The error that ended the run before the last row. Nil if the run ended without an error.
        var failure: (any Error)?
    }

    let path: String
    let options: ImportOptions
    let repository: ProfileRepository
    let asking: Asking
    /// The session that keeps the terminal open from the first row to the last.
    var screens = ScreenSession()

    /// Offers one row after another. After the last row, or after an error, rewrites the file without the stored,
    /// dropped and skipped rows. If no row is left, removes the file. If no row was stored or dropped, all rows stay in
    /// the file, including the skipped rows.
    func run() async throws -> Outcome {
        let opened = try InputFile(path)
        guard opened.byteCount != nil else { throw CommandFailure(.usage, Self.needsFile) }
        let claim = try FileClaim(opened.descriptor, at: path)
        // If this file cannot be created, the run ends before the user types anything.
        var rest = try replacement(of: path)
        let (first, count, rows) = try await counted(opened)
        var outcome = Outcome(place: path)
        var state = State(file: first)
        var asked: Set<CommonCorrection.Mistake> = []
        do {
            while let next = try await rows.next() {
                // The row was stored together with another one.
                if state.done.contains(next.number) { continue }
                let row = next.correcting(state.file.corrections)
                let typed = Locked<ValidProfile?>(nil)
                let offered = try await RowToMend(row, of: count, onDuplicate: options.duplicates, in: repository) {
                    [claim, state] profile in
                    typed.withLock { $0 = profile }
                    try await write(state, correcting: .init(number: row.number, profile: profile), to: claim)
                }
                let ending = try await ending(of: offered)
                switch ending {
                case .stored: outcome.stored += 1
                case .skipped: outcome.skipped += 1
                case .dropped: outcome.dropped += 1
                case .left: continue
                }
                state.done.insert(contentsOf: row.number..<row.number + 1)
                guard ending == .stored, let offered, let profile = typed.withLock({ $0 }) else { continue }
                for correction in CommonCorrection.all(of: offered, as: profile, in: repository.schema)
                where asked.insert(correction.mistake).inserted {
                    let made = try await makeEverywhere(correction, state, claim)
                    state = made.state
                    outcome.corrected += made.corrected
                    outcome.stored += made.stored
                    outcome.skipped += made.skipped
                    if let failure = made.failure { throw failure }
                }
            }
        } catch is MendingEnded {
        } catch {
            outcome.failure = error
        }
        let (file, done) = (state.file, state.done)
        // If this run has neither stored nor dropped a row, the file is not written again and not removed.
        guard outcome.stored + outcome.dropped > 0 else {
            outcome.left = count
            (outcome.place, outcome.isDisplaced) = (claim.path, claim.isDisplaced)
            return outcome
        }
        if claim.isDisplaced { rest = try replacement(of: claim.path) }
        outcome.left = try await file.copy(to: rest.descriptor, without: done)
        if outcome.left == 0 {
            outcome.isRemoved = try claim.remove(insteadOf: rest)
        } else {
            try claim.replace(with: rest)
        }
        (outcome.place, outcome.isDisplaced) = (claim.path, claim.isDisplaced)
        return outcome
    }

    /// The rows of the file, with the changes that this run has made up to now.
    struct State {
        /// The file with the corrections that the user made in several rows at once.
        var file: RejectedRowFile
        /// The numbers of the rows that leave the file.
        var done = RangeSet<Int>()
    }

    /// Replaces the file by a new file with the rows of `state`. If `row` is given, it replaces the row with the same
    /// number.
    private func write(
        _ state: State, correcting row: RejectedRowFile.CorrectedRow? = nil, to claim: FileClaim
    ) async throws {
        let changed = try replacement(of: claim.path)
        _ = try await state.file.copy(to: changed.descriptor, without: state.done, corrected: row)
        try claim.replace(with: changed)
    }

    /// Asks the user whether to make a correction in all rows that have the same wrong value, and makes it.
    private func makeEverywhere(
        _ correction: CommonCorrection, _ state: State, _ claim: FileClaim
    ) async throws -> CommonCorrection.Made {
        let count = try await state.file.count(of: correction.correction, without: state.done)
        guard count > 0 else { return CommonCorrection.Made(state: state) }
        let question = correction.question(count)
        let make: @Sendable () async -> CommonCorrection.Made = { [self] in
            await correction.make(in: state, count: count, in: repository) { state in
                try await write(state, to: claim)
            }
        }
        switch asking {
        case .byLine:
            guard try LinePrompt.isConfirmed(question) else { return CommonCorrection.Made(state: state) }
            return try await Interruption.cancelling(isQuiet: true) { await make() }
        case .onScreen:
            let screen = QuestionScreen(
                ChoiceScreen(
                    title: correction.title.visible, text: question + "?",
                    options: ["No, only in this row", count == 1 ? "Yes, there too" : "Yes, in all of them"]),
                working: "Storing …")
            return try await screens.run(screen, unfinished: RowToMend.storedLast) { request in
                .done(request.answer == 1 ? await make() : CommonCorrection.Made(state: state))
            }
        }
    }

    static let needsFile = "mend takes a file, because it writes the remaining rows to it."

    private func counted(
        _ opened: borrowing InputFile
    ) async throws(CommandFailure) -> (RejectedRowFile, count: Int, rows: RejectedRows) {
        let input = ImportInput(descriptor: opened.descriptor, name: path, byteCount: opened.byteCount)
        do throws(ImportError) {
            let file = try RejectedRowFile(
                input, schema: repository.schema, options: options, keptIn: Environment["TMPDIR"] ?? "/var/tmp")
            return (file, try await file.count(), try await file.rows())
        } catch {
            throw CommandFailure(error, attempting: .mending)
        }
    }

    private enum RowEnding { case stored, skipped, dropped, left }

    private func ending(of row: RowToMend?) async throws -> RowEnding {
        guard let row else { return .skipped }
        do {
            switch (asking, row.stored) {
            case (.onScreen, let stored?):
                _ = try await EditForm(repository: repository, stored: stored, session: screens).run(mending: row)
            case (.onScreen, nil):
                _ = try await RegistrationForm(repository: repository, session: screens).run(mending: row)
            case (.byLine, _):
                try PlainForm.offer(row, in: repository)
                var form = PlainForm(mending: row, in: repository)
                _ = try await form.run()
            }
            return .stored
        } catch RowLeft.forLater {
            return .left
        } catch RowLeft.forGood {
            return .dropped
        }
    }

    /// Creates a file that will replace the file at this path.
    private func replacement(of path: String) throws(CommandFailure) -> PrivateFile {
        let isFile = !StorePlace.isDatabase(repository.place)
        return try PrivateFile(
            path, replacing: true, sparing: isFile ? FilePlaces(ofStore: repository.place) : FilePlaces())
    }
}
