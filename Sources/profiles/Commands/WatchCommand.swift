internal import ArgumentParser
internal import ProfileCore
internal import ProfileStore
internal import Synchronization
internal import TextLayout

struct WatchCommand: AsynchronousCommand, ResultWriting {
    static let configuration = CommandConfiguration(
        commandName: "watch",
        abstract: "Show the changes of the store, one per line.",
        discussion: """
            Prints every change when it is committed, by any process: registered, edited, removed, imported, updated, \
            adopted. An import has one line per commit. Ends with Ctrl-C, or when the reader of the output has ended. \
            While the store does not answer, the command waits, and misses no change.

            Each line begins with its number in the log of changes. This is not the number of a change that \
            "profiles history" shows and "profiles undo" takes. To miss nothing between two runs, start the next run \
            after the last number of the previous one. The log keeps its newest 10,000 lines. If older ones are asked \
            for, a line "missed" says that everything may have changed. The username and the revision of a profile are \
            the present ones.

              profiles watch
              profiles watch --since 0 | head -3
              profiles watch --since 140 --format json | ./notify
            """)

    @Option(
        help: ArgumentHelp(
            "Start after the line with this number; 0 is the beginning. (default: now)", valueName: "number"))
    var since: Int64?

    @OptionGroup var store: StoreOptions
    @OptionGroup var result: ResultOptions

    func validate() throws {
        guard since ?? 0 >= 0 else { throw ValidationError("--since takes the number of a line, from 0.") }
    }

    func run() async throws {
        let format = global.format
        let silence = StoreSilence(global)
        try await global.withStore("watch", observedBy: StoreObserver(finished: silence.hear)) { repository in
            let changes = await repository.changes.stream(after: since)
            if Output.standard.isTerminal { global.note("Watching \(repository.place.visible). Ctrl-C ends it.") }
            try await Interruption.cancelling(isQuiet: true) {
                try await Output.standard.whileRead {
                    for try await change in changes {
                        try Output.standard.print(format == .json ? change.json.text() : change.line)
                    }
                }
            }
        }
        throw CommandFailure(.interrupted, lines: [])
    }
}

/// Writes a note when the store stops answering, and a second note when the store answers again.
private final class StoreSilence: Sendable {
    private let isSilent = Atomic(false)
    private let global: GlobalOptions

    init(_ global: GlobalOptions) { self.global = global }

    func hear(_ operation: StoreObserver.Operation) {
        guard operation.name == .readChanges else { return }
        switch operation.outcome {
        case .failed(let code) where ProfileStoreError.Code(rawValue: code).isTransient:
            if !isSilent.exchange(true, ordering: .relaxed) {
                global.note("The store does not answer. Waiting until it does; no change is missed.")
            }
        case .done:
            if isSilent.exchange(false, ordering: .relaxed) { global.note("The store answers again.") }
        case .refused, .failed, .cancelled: break
        }
    }
}

extension ProfileChange {
    /// The change as one line of text.
    fileprivate var line: String {
        "\(number)  \(changedAt?.description ?? "–")  \(kind.rawValue.padded(to: 10))  \(what)".visible
    }

    private var what: String {
        guard let profileIDs else {
            return kind == .adopted ? "another schema" : "everything up to here may have changed"
        }
        let (first, last) = (profileIDs.lowerBound, profileIDs.upperBound)
        guard first == last else {
            return kind == .updated ? "some of ids \(first) to \(last)" : "ids \(first) to \(last)"
        }
        guard let username, let revision else { return "id \(first)" }
        return "\(username) (id \(first), now revision \(revision))"
    }
}
