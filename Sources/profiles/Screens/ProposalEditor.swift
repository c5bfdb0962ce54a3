internal import ProfileCore
internal import ProfileTransfer
internal import SchemaInference
internal import TerminalUI
internal import TextLayout
internal import Threads

/// Shows the columns of a file with the proposed fields in a table. The user changes the proposal until it is right.
struct ProposalEditor {
    let source: ImportInput
    let title: String
    /// The effect of accepting the proposal, in a word or two.
    let accepting: String
    /// A note that is shown until the user presses a key of the keyboard.
    var note: String?
    /// The sources of the primary key, other than columns, that the user can choose.
    var computedKeys: [KeySource] = [.rowNumber, .content]

    /// An accepted proposal, with the options from which it was made.
    struct Accepted {
        let options: InferenceOptions
        let proposal: SchemaProposal
    }

    /// Shows the table until the user accepts a proposal.
    ///
    /// - Parameters:
    ///   - first: The first proposal.
    ///   - options: The options from which the first proposal was made.
    /// - Returns: The proposal that the user accepted.
    /// - Throws: ``CommandFailure/left(_:_:)`` if the user accepts none.
    func run(_ first: SchemaProposal, _ options: InferenceOptions) async throws -> Accepted {
        let choices = ProposalChoices(options)
        let screen = ProposalScreen(
            first.table, choices: choices, title: title, accepting: accepting, note: note,
            computedKeys: computedKeys)
        let maker = ChosenProposals(source: source, options: options, first: first, choices)
        return try await ScreenSession().run(
            screen, unfinished: CommandFailure.nothingStored
        ) { request in
            .done(Accepted(options: options.with(request.choices), proposal: await maker.latest))
        } supplying: { choices in
            await maker.reply(to: choices)
        }
    }
}

/// Infers a new proposal when the user's choices have changed. Only one inference runs at a time.
private actor ChosenProposals {
    private let source: ImportInput
    private let options: InferenceOptions
    /// The last proposal that was made.
    private(set) var latest: SchemaProposal
    /// The inference for the latest choices, with its progress and result.
    private var work: (choices: ProposalChoices, news: AsyncStream<News>, task: Task<Void, Never>)?

    private enum News: Sendable {
        case progress(Double?)
        case done(SchemaProposal)
        case failed(InferenceError)
    }

    init(source: ImportInput, options: InferenceOptions, first: SchemaProposal, _ choices: ProposalChoices) {
        self.source = source
        self.options = options
        latest = first
    }

    /// Returns the progress or the result of the inference for these choices. If the reply is progress, the screen
    /// calls this method again.
    func reply(to choices: ProposalChoices) async -> ProposalScreen.Reply {
        let news = work?.choices == choices ? work?.news : nil
        for await event in news ?? begin(choices) {
            if case .progress(let share) = event { return .progress(share) }
            // The screen may have demanded another proposal meanwhile.
            guard work?.choices == choices else { break }
            work = nil
            switch event {
            case .done(let proposal):
                latest = proposal
                return .proposed(proposal.table)
            case .failed(let error): return .refused(error.tableText)
            case .progress: break
            }
        }
        return .progress(nil)
    }

    /// Starts an inference. The inference for earlier choices is cancelled, and ends first, because both read the same
    /// input.
    private func begin(_ choices: ProposalChoices) -> AsyncStream<News> {
        let former = work?.task
        former?.cancel()
        // The stream keeps only the newest event, because the screen does not need earlier progress.
        let (news, outlet) = AsyncStream.makeStream(of: News.self, bufferingPolicy: .bufferingNewest(1))
        let (source, options) = (source, options.with(choices))
        let task = Task {
            await former?.value
            let last = Locked(ContinuousClock.now)
            do throws(InferenceError) {
                let proposal = try await SchemaInferrer(options: options).run(source) { progress in
                    let isDue = last.withLock { last in
                        guard last.duration(to: .now) > .milliseconds(100) else { return false }
                        last = .now
                        return true
                    }
                    guard isDue else { return }
                    outlet.yield(.progress(source.byteCount.map { Double(progress.bytes) / Double(max(1, $0)) }))
                }
                outlet.yield(.done(proposal))
            } catch {
                outlet.yield(.failed(error))
            }
            outlet.finish()
        }
        work = (choices, news, task)
        return news
    }
}

extension InferenceError {
    /// The message of the error. It names the keys to press in the table, and no options of the command line.
    fileprivate var tableText: String {
        guard case .keyOfType(let header, let type) = self else {
            return CommandFailure(self).lines.joined(separator: "\n")
        }
        return "A key is text, and the type \(type.rawValue) is chosen for \(header.quoted(longest: 64)): "
            + "choose another key with k, or first the type \"as inferred from the file\" with t"
    }
}

extension ProposalChoices {
    /// The choices that the options contain.
    init(_ options: InferenceOptions) {
        self.init()
        key = options.key
        types = options.types
        names = options.names
        loose = options.looseColumns
        strict = options.strictColumns
        omitted = options.omittedColumns
    }
}

extension InferenceOptions {
    /// Returns a copy of these options that contains the user's choices.
    fileprivate func with(_ choices: ProposalChoices) -> InferenceOptions {
        var options = self
        options.key = choices.key
        // An inference refuses a type for an omitted column. The choices still contain the type and the name of such
        // a column, because the user may include the column again.
        options.types = choices.types.filter { !choices.omitted.contains($0.key) }
        options.names = choices.names.filter { !choices.omitted.contains($0.key) }
        options.looseColumns = choices.loose
        options.strictColumns = choices.strict
        options.omittedColumns = choices.omitted
        return options
    }
}

extension SchemaProposal {
    /// The proposal as a screen shows it.
    fileprivate var table: ProposedTable {
        let source: KeySource? =
            switch key {
            case .column(let header): .columns([header])
            case .columns(let headers): .columns(headers)
            case .rowNumber: .rowNumber
            case .content: .content
            case nil: nil
            }
        return ProposedTable(
            columns: columns.map { ProposedColumn($0) }, key: source, summary: summary, notes: notes)
    }

    /// The number of rows, and of those that are rejected.
    private var summary: String {
        let rejected = refused.reduce(0) { $0 + $1.rows.count }
        let count = "\(rows.counted("row"))" + (isSample ? " looked at" : "")
        return count + (rejected > 0 ? " · \(rejected.grouped) rejected" : "")
    }
}

extension ProposedColumn {
    fileprivate init(_ column: ColumnProposal) {
        let all = column.values + column.missing
        self.init(
            header: column.header, field: column.rules?.name.text, type: column.kind, fieldType: column.rules?.type,
            rules: column.rulesText, filled: column.isLookedAt && all > 0 ? Self.percent(column.values, of: all) : "",
            examples: column.examples.map { $0.visible(upTo: 20) },
            doubts: column.doubts.filter(\.needsDecision).map { $0.text(of: column) },
            remarks: column.doubts.filter { !$0.needsDecision }.map { $0.text(of: column) },
            unusual: column.unusual.map(\.shown),
            isSecret: column.rules?.isSecret ?? false)
    }

    /// Returns a share in whole percents. The result is 100 or 0 only if the exact share is.
    private static func percent(_ count: Int, of all: Int) -> String {
        let share = Int((Double(count) / Double(all) * 100).rounded())
        return "\(count == all ? 100 : count == 0 ? 0 : min(99, max(1, share))) %"
    }
}

extension ColumnDoubt {
    /// Whether a person should look at the doubt before the proposal is accepted.
    fileprivate var needsDecision: Bool {
        switch self {
        case .withheld, .renamed, .leftOut(.chosen): false
        default: true
        }
    }
}

extension UnusualValue {
    /// The value, the reason why it is unusual, and its line.
    fileprivate var shown: String {
        let value = text.quoted(longest: 40)
        return switch oddity {
        case .rare(count: 1): "\(value) once, in line \(line)"
        case .rare(let count): "\(value) \(count.grouped) times, first in line \(line)"
        case .shortest: "\(value), the shortest, in line \(line)"
        case .longest: "\(value), the longest, in line \(line)"
        }
    }
}
