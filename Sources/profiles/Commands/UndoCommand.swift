internal import ArgumentParser
internal import ProfileCore
internal import ProfileStore
internal import TextLayout

struct UndoCommand: AsynchronousCommand, ResultWriting {
    static let configuration = CommandConfiguration(
        commandName: "undo",
        abstract: "Revert a change: an edit, a removal or an import.",
        discussion: """
            Reverts the newest change, or the change with a number; "profiles history" and "profiles imports" show the \
            numbers. Another undo steps back further, and "profiles redo" reverts an undo. On a terminal it first says \
            what it will do, and asks.

            Profiles that have changed since are left as they are, as are profiles that would be invalid, or whose \
            values another profile has now. A password is never reverted. Restored profiles need a new one: \
            "profiles reset". Exits 1 if a profile was not reverted.

              profiles undo
              profiles undo 12 --dry-run
              profiles undo --import 12 --yes
            """)

    @Argument(help: "The number of the change in \"profiles history\". (default: the newest one)")
    var change: Int64?

    @Option(name: .customLong("import"), help: ArgumentHelp("Revert the import with this number.", valueName: "n"))
    var importNumber: Int64?

    @OptionGroup var options: UndoOptions
    @OptionGroup var store: StoreOptions
    @OptionGroup var result: ResultOptions

    func validate() throws {
        guard change == nil || importNumber == nil else {
            throw ValidationError("Give a change or --import, not both.")
        }
    }

    private var number: Int64? { change ?? importNumber }

    func run() async throws {
        if number == nil, !options.dryRun, !options.yes {
            try global.requireTerminal(orGive: "--yes, or the number of a change")
        }
        try await global.withStore("undo") { repository in
            try await global.undo(try await undoneChange(in: repository), in: repository, options)
        }
    }

    private func undoneChange(in repository: ProfileRepository) async throws -> HistoryChange {
        guard let number else {
            if let newest = try await repository.changeToUndo() { return newest }
            throw CommandFailure(.no, "There is no change to undo")
        }
        let change = try await repository.knownChange(number)
        guard importNumber == nil || change.source != nil else {
            throw CommandFailure(.no, "Change \(number) is not an import; \"profiles imports\" lists them")
        }
        return change
    }
}

struct RedoCommand: AsynchronousCommand, ResultWriting {
    static let configuration = CommandConfiguration(
        commandName: "redo",
        abstract: "Revert an undo.",
        discussion: """
            Reverts the newest undo that is not reverted itself. Another redo reverts the undo before it.

              profiles redo
              profiles redo --yes
            """)

    @OptionGroup var options: UndoOptions
    @OptionGroup var store: StoreOptions
    @OptionGroup var result: ResultOptions

    func run() async throws {
        if !options.dryRun, !options.yes { try global.requireTerminal(orGive: "--yes") }
        try await global.withStore("redo") { repository in
            guard let change = try await repository.changeToRedo() else {
                throw CommandFailure(.no, "There is no undo to revert")
            }
            try await global.undo(change, in: repository, options)
        }
    }
}

struct UndoOptions: ParsableArguments {
    @Flag(help: "Also revert profiles that have changed since. Only the values of this change are reverted.")
    var force = false

    @Flag(help: "Do not ask.")
    var yes = false

    @Flag(help: "Show what would be reverted, and write nothing.")
    var dryRun = false

    func validate() throws {
        guard !yes || !dryRun else { throw ValidationError("Give --yes or --dry-run, not both.") }
    }
}

extension ProfileRepository {
    /// Returns a change of the history.
    fileprivate func knownChange(_ number: Int64) async throws -> HistoryChange {
        do throws(ProfileStoreError) {
            return try await historyChange(number)
        } catch {
            guard error.code == .beyondHistory else { throw error }
            throw CommandFailure(
                .no, "The history has no change \(number)", "\"profiles history\" shows the numbers of changes")
        }
    }
}

extension GlobalOptions {
    /// Reverts a change. On a terminal, first shows what will be reverted, and asks.
    fileprivate func undo(
        _ change: HistoryChange, in repository: ProfileRepository, _ options: UndoOptions
    ) async throws {
        if options.dryRun || canAsk && !options.yes {
            let preview = try await undoing(change, in: repository, options, isPreview: true)
            if options.dryRun { return try show(preview, isPreview: true, in: repository) }
            note(preview.sentence(isPreview: true) + ".")
            for line in preview.lines(of: repository.schema) { note(line) }
            guard preview.changedCount > 0 else { throw CommandFailure(.no, "There is nothing to revert") }
            guard try LinePrompt.isConfirmed("Revert it") else { throw CommandFailure(.no, "Nothing was reverted") }
        }
        let report = try await undoing(change, in: repository, options, isPreview: false)
        try show(report, isPreview: false, in: repository)
    }

    /// Reverts a change in batches. After Ctrl-C, each batch is reverted completely or not at all. If an error stops
    /// the undo, the failure first says how many profiles were reverted.
    private func undoing(
        _ change: HistoryChange, in repository: ProfileRepository, _ options: UndoOptions, isPreview: Bool
    ) async throws -> UndoReport {
        do {
            return try await Interruption.cancelling(isQuiet: quiet) {
                try await repository.undo(change, overridingLaterChanges: options.force, isPreview: isPreview)
            }
        } catch let stopped as StoppedWrite<UndoReport> {
            let isWritten = stopped.report.changedCount > 0 && !isPreview
            let failure = CommandFailure(
                stopped.error, after: isWritten ? stopped.report.sentence(isPreview: false) : nil)
            throw CommandFailure(
                failure.status, lines: failure.lines + (isWritten ? ["The same command continues it"] : []))
        }
    }

    private func show(_ report: UndoReport, isPreview: Bool, in repository: ProfileRepository) throws {
        switch format {
        case .json: try Output.standard.print(report.json(isPreview: isPreview).text(indented: true))
        case .text:
            if !quiet || isPreview { try Output.standard.print((report.sentence(isPreview: isPreview) + ".").visible) }
            for line in report.lines(of: repository.schema) { try Output.standard.print(line) }
        }
        if report.changedCount == 0, report.left.contains(where: { $0.reason == .changedSince }) {
            note("Revert it with --force, or give the number of another change; \"profiles history\" shows the numbers")
        }
        if report.leftCount > 0 || report.changedCount == 0 { throw CommandFailure(.no, lines: []) }
    }
}

extension HistoryChange {
    /// The number, the origin and the time of the change.
    fileprivate var title: String {
        let origin = source.map { ", the import of \($0)" } ?? command.map { " with \"\($0)\"" } ?? ""
        return "Change \(number)\(origin), \(madeAt.text)"
    }
}

extension UndoReport {
    /// The change and the numbers of profiles, as one sentence without a full stop.
    func sentence(isPreview: Bool) -> String { change.title + ": " + outcome(isPreview: isPreview) }

    /// The numbers of profiles.
    func outcome(isPreview: Bool) -> String {
        let parts = [
            (removed, isPreview ? "would be removed" : "removed"),
            (reverted, isPreview ? "would get the old values back" : "got the old values back"),
            (restored, isPreview ? "would come back" : "came back"),
            (leftCount, isPreview ? "would stay unchanged" : "stayed unchanged"), (unchanged, "needed no change"),
        ].filter { $0.0 > 0 }
        // Only the first part contains the noun: "3 profiles removed, 2 came back".
        let texts = parts.enumerated().map { index, part in
            "\(part.0) \(index > 0 ? "" : part.0 == 1 ? "profile " : "profiles ")\(part.1)"
        }
        var notes: [String] = []
        if needReset > 0 {
            notes.append(
                needReset == 1
                    ? "1 profile needs a new password: set it with \"profiles reset\""
                    : "\(needReset) profiles need new passwords: set them with \"profiles reset\"")
        }
        if keptSecrets > 0 {
            notes.append(
                keptSecrets == 1
                    ? "1 changed password or passcode stays" : "\(keptSecrets) changed passwords or passcodes stay")
        }
        let result = texts.isEmpty ? "nothing to revert" : texts.joined(separator: ", ")
        return ([result] + notes).joined(separator: "; ")
    }

    /// The profiles that were not reverted, or were reverted only in part: a line for each of the first ones, and the
    /// number of the others.
    func lines(of schema: ProfileSchema) -> [String] {
        let lines = left.prefix(Self.mostLines).map { left in
            guard let username = left.username else {
                return "  id \(left.profileID): " + left.reason.text(of: schema, isRemoved: true).visible
            }
            return "  " + username.visible + ": " + left.reason.text(of: schema, isRemoved: false).visible
        }
        // `left` contains at most 1,000 profiles, so `leftCount` may be greater.
        let rest = max(left.count, leftCount) - lines.count
        return lines + (rest > 0 ? ["  … and \(rest) more"] : [])
    }

    private static let mostLines = 20

    fileprivate func json(isPreview: Bool) -> JSONValue {
        guard case .object(var members) = json else { return json }
        members.insert(JSONMember("is_dry_run", .bool(isPreview)), at: 1)
        return .object(members)
    }
}

extension UndoReport.Reason {
    fileprivate func text(of schema: ProfileSchema, isRemoved: Bool) -> String {
        switch self {
        case .changedSince: isRemoved ? "removed since" : "changed since"
        case .refused(let refusal): refusal.text(of: schema)
        case .formerFields(let fields): "the schema has no \(CommandFailure.list(fields)) any more, so that value stays"
        }
    }
}

extension ProfileRefusal {
    /// The reason as a text for the user.
    func text(of schema: ProfileSchema) -> String {
        switch self {
        case .invalid(let failure): failure.issues.map { ReportedIssue($0, in: schema).message }.joined(separator: "; ")
        case .duplicate(let fields): "another profile has the same \(CommandFailure.list(fields.map(\.text)))"
        }
    }
}
