internal import ArgumentParser
internal import ProfileCore
internal import ProfileStore
internal import ProfileStoreSQLite
internal import ProfileTransfer
internal import TextLayout

struct CopyCommand: AsynchronousCommand, ResultWriting {
    static let configuration = CommandConfiguration(
        commandName: "copy",
        abstract: "Copy a whole store into an empty one, such as from a file into a PostgreSQL database.",
        discussion: """
            Both stores may be a file or the URI of a database. Ids, revisions, times, passwords, passcodes, marks, \
            rules and access tokens are copied; sessions, resets and the log of changes are not. To continue an \
            interrupted copy, repeat the command; an unfinished copy cannot be used. At the end both stores are read \
            again and compared, so nothing may write to the first store meanwhile. Repeating the command compares a \
            finished copy again if it was not used.

              profiles copy profiles.sqlite postgresql://app@one,two,three/profiles
              profiles copy postgresql://app@one,two,three/profiles copy.sqlite
            """)

    @Argument(help: "The store to copy, which is not changed.", completion: StorePlace.completion)
    var from: String

    @Argument(
        help: "The place for the copy: without a store, or with a store that was never used.",
        completion: StorePlace.completion)
    var to: String

    @Flag(help: "Start an interrupted copy again from the beginning.")
    var restart = false

    @OptionGroup var store: StoreOptions
    @OptionGroup var result: ResultOptions

    func validate() throws {
        guard store.database == nil else {
            throw ValidationError("copy takes the places of both stores, and no --database.")
        }
        guard !from.isEmpty, !to.isEmpty else { throw ValidationError("copy takes the places of two stores.") }
        let areFiles = !StorePlace.isDatabase(from) && !StorePlace.isDatabase(to)
        guard from != to, !areFiles || !FilePlaces([from]).contains(to) else {
            throw ValidationError("Both places are the same store. Name another place for the copy.")
        }
    }

    func run() async throws {
        let options = global.repositoryOptions("copy")
        let source = try await openSource(options)
        let outcome = await Result { try await copy(source, options) }
        await source.close()
        do {
            let (report, place) = try outcome.get()
            try show(report, from: source.place, to: place)
        } catch let error as ProfileStoreError where error.code == .cancelled {
            throw CommandFailure(
                .interrupted, "Interrupted; the copy is unfinished", "Repeat the command to continue it")
        } catch StoreCopyError.differ(let source, let copy) {
            throw Self.failure(source, copy)
        } catch StoreCopyError.damagedSource(let damage) {
            throw Self.isDamaged(from, CommandFailure.text(damage))
        }
    }

    private func openSource(_ options: ProfileRepository.Options) async throws -> ProfileRepository {
        do {
            return try await StorePlace.open(from, options)
        } catch let error as ProfileStoreError {
            guard case .noStore(let path) = error.reason else { throw error }
            // The usual hint names --database, which this command does not take.
            throw CommandFailure(
                .noInput, "There is no store at \(path)", "Name the store to copy as the first argument")
        }
    }

    private func copy(
        _ source: ProfileRepository, _ options: ProfileRepository.Options
    ) async throws -> (StoreCopyReport, place: String) {
        var options = options
        options.createsMissing = true
        options.opensUnfinishedCopy = true
        // A new copy records `initialSchema` as its first schema. This record is never removed. The copy must have the
        // same list of schemas as the source. So `initialSchema` is the first schema of the source.
        if let first = try await source.rules.versions().first { options.initialSchema = first.schema }
        let destination = try await StorePlace.open(to, options)
        let bar = ProgressBar(isQuiet: global.quiet)
        let outcome = await Result {
            try await Interruption.cancelling(isQuiet: global.quiet) { [restart] in
                try await StoreCopy(from: source, to: destination).run(restarting: restart) { bar?.update($0) }
            }
        }
        bar?.end()
        await destination.close()
        return (try outcome.get(), destination.place)
    }

    private func show(_ report: StoreCopyReport, from source: String, to copy: String) throws {
        switch global.format {
        case .text:
            guard !global.quiet else { return }
            var block = TextBlock()
            block.add("Store", source)
            block.add("Copy", copy)
            block.add("Profiles", "\(report.digest.profiles) in both stores")
            if report.copied < report.digest.profiles {
                block.add("", "\(report.copied) copied now, \(report.digest.profiles - report.copied) there before")
            }
            block.add("Schemas", String(report.schemas))
            block.add("Access tokens", String(report.tokens))
            block.add("Checksum", "\(report.digest.checksum), of both stores")
            try Output.standard.write(block.text)
        case .json:
            try Output.standard.print([
                "from": .string(source), "to": .string(copy),
                "profiles": .number(report.digest.profiles), "copied": .number(report.copied),
                "schemas": .number(report.schemas), "access_tokens": .number(report.tokens),
                "sha256": .string(report.digest.checksum),
            ])
        }
    }

    private static func isDamaged(_ source: String, _ finding: String) -> CommandFailure {
        CommandFailure(
            .badInput, "The store to copy, \(source), is damaged: \(finding)",
            "Look with \"profiles check --database \(source)\", and restore a backup of it before you copy it",
            "The copy is unfinished; once the store is sound, begin it again with --restart")
    }

    private static func failure(_ source: StoreDigest, _ copy: StoreDigest) -> CommandFailure {
        CommandFailure(
            .no, "The copy differs from the store: \(source.profiles) profiles there and \(copy.profiles) in the copy",
            "The store was changed after the copying began; the copy cannot be used",
            "Stop all writers, and repeat the command with --restart")
    }
}

extension Result where Failure == any Error {
    /// Runs an asynchronous function and stores its result or its error.
    fileprivate init(_ body: () async throws -> Success) async {
        do { self = .success(try await body()) } catch { self = .failure(error) }
    }
}
