internal import ArgumentParser
internal import ProfileCore
internal import ProfileStore
internal import ProfileTransfer
internal import TextLayout

struct HistoryCommand: AsynchronousCommand, ResultWriting {
    static let configuration = CommandConfiguration(
        commandName: "history",
        abstract: "Show what has changed, with the values before and after.",
        discussion: """
            Shows the history of one profile, or of the whole store, newest first. A removed profile is found by its \
            last username or its id. Passwords are never kept. The store keeps its history for 90 days, or for the \
            time of --keep. Exits 1 if nothing is known of the profile.

              profiles history skboard
              profiles history --since 7d
              profiles history skboard --at 2026-11-01
              profiles history --keep 365
            """)

    @Argument(help: "The username of the profile. (default: all profiles)")
    var username: String?

    @Option(help: ArgumentHelp("Show the profile with this id.", valueName: "id"))
    var id: Int64?

    @Option(
        help: ArgumentHelp(
            "Show changes since this time: a span such as 30m, 12h or 7d, a day, or a time in UTC.", valueName: "time"))
    var since: PastTime?

    @Option(help: ArgumentHelp("Show the profile as it was at this time.", valueName: "time"))
    var at: PastTime?

    @Option(help: ArgumentHelp("Show at most this many entries.", valueName: "n"))
    var limit = 100

    @Option(
        help: ArgumentHelp(
            "Keep the history for 1 to \(HistoryTime.mostDays) days from now on, or remove it with \"none\".",
            valueName: "days|none"))
    var keep: HistoryTime?

    @OptionGroup var store: StoreOptions
    @OptionGroup var result: ResultOptions

    func validate() throws {
        guard username == nil || id == nil else { throw ValidationError("Give a username or --id, not both.") }
        guard at == nil || username != nil else { throw ValidationError("--at needs a username.") }
        guard at == nil || since == nil else { throw ValidationError("Give --at or --since, not both.") }
        guard 1...10_000 ~= limit else { throw ValidationError("--limit takes 1 to 10000.") }
        if keep != nil, username != nil || id != nil || since != nil || at != nil {
            throw ValidationError("--keep is given alone: it applies to the history of all profiles.")
        }
    }

    func run() async throws {
        try await global.withStore("history", inOneCall: true) { repository in
            if let keep {
                try await repository.keepHistory(for: keep.duration)
                let text =
                    keep.duration == .zero
                    ? "The history is removed, and the store keeps none from now on"
                    : "The store keeps its history for \(keep)"
                return try global.confirm(text, ["history_days": .number(keep.duration.components.seconds / 86_400)])
            }
            if let at, let username { return try await show(username, at: at, of: repository) }
            let entries = try await entries(in: repository)
            try show(Array(entries.prefix(limit)), isComplete: entries.count <= limit, in: repository)
        }
    }

    /// Returns the entries that the options select. If there are more than `limit` entries, the result has more than
    /// `limit` entries too, so the caller can tell the user.
    private func entries(in repository: ProfileRepository) async throws -> [HistoryEntry] {
        guard username != nil || id != nil else {
            return try await repository.history(since: since?.time, limit: limit + 1)
        }
        var entries: [HistoryEntry]
        if let id {
            entries = try await repository.history(ofID: id)
        } else {
            entries = try await repository.history(of: username ?? "") ?? []
        }
        if entries.isEmpty {
            let profile = username.map { "\"\($0)\"" } ?? "with the id \(id ?? 0)"
            let time = try await repository.historyTime()
            throw CommandFailure(
                .no, "The history has no profile \(profile)",
                time > .zero
                    ? "\"profiles history\" shows all changes of the last \(HistoryTime(time))"
                    : "The store keeps no history; \"profiles history --keep DAYS\" starts one")
        }
        if let since = since?.time { entries.removeAll { $0.changedAt < since } }
        return entries
    }

    private func show(
        _ entries: [HistoryEntry], isComplete: Bool, in repository: ProfileRepository
    ) throws {
        switch global.format {
        case .json:
            try Output.standard.print(
                JSONValue.object([
                    JSONMember("entries", .array(entries.map(\.json))), JSONMember("is_complete", .bool(isComplete)),
                ]).text(indented: true))
        case .text where entries.isEmpty:
            global.note("There are no changes \(since.map { "since \($0.time.text)" } ?? "in the history").")
        case .text:
            let hasOneProfile = username != nil || id != nil
            for entry in entries {
                try Output.standard.print(entry.headline(namingProfile: !hasOneProfile).visible)
                for change in entry.changes(of: repository.schema) {
                    try Output.standard.print("  " + change.heading + change.values)
                }
            }
            if !isComplete { global.note("There are older changes: show them with a greater --limit.") }
        }
    }

    private func show(_ username: String, at time: PastTime, of repository: ProfileRepository) async throws {
        let moment = time.time
        guard let profile = try await repository.profile(username, at: moment) else {
            throw CommandFailure(.no, "There was no profile \"\(username)\" at \(moment.text)")
        }
        switch global.format {
        case .json:
            let values = profile.values.sorted { $0.key < $1.key }.map { JSONMember($0.key, .string($0.value)) }
            try Output.standard.print(
                JSONValue.object([
                    JSONMember("id", .number(profile.id)), JSONMember("revision", .number(profile.revision)),
                    JSONMember("at", .string(moment.description)), JSONMember("values", .object(values)),
                ]).text(indented: true))
        case .text:
            var block = TextBlock()
            var rest = profile.values
            for field in repository.schema.openFields {
                block.add(repository.schema.heading(of: .field(field)), rest.removeValue(forKey: field.name.text))
            }
            for (column, value) in rest.sorted(by: { $0.key < $1.key }) { block.add(column, value) }
            block.addGap()
            block.add("Id", String(profile.id))
            block.add("Revision", String(profile.revision))
            try Output.standard.write(block.text)
        }
    }
}

extension HistoryEntry {
    /// The time, the kind and the origin of the change, as one line of text.
    func headline(namingProfile: Bool) -> String {
        // An undo registers a removed profile again, with its next revision.
        let isRestored = kind == .registered && revision ?? 1 > 1
        let name = isRestored ? "restored" : kind.rawValue.replacing("_", with: " ")
        var parts = [changedAt.text, name.padded(to: 10)]
        // The id of a removed profile is needed to erase it.
        if namingProfile || kind == .removed {
            parts.append(
                profileIDs.lowerBound < profileIDs.upperBound
                    ? "ids \(profileIDs.lowerBound) to \(profileIDs.upperBound)" : "id \(profileIDs.lowerBound)")
        }
        if let revision { parts.append("revision \(revision)") }
        let origin = [author.map { "by \($0)" }, command.map { "with \"\($0)\"" }].compactMap(\.self)
        let undone = undoes.map { ", which undoes \($0)" } ?? ""
        parts.append((origin + ["change \(change)\(undone)"]).joined(separator: ", "))
        return parts.joined(separator: "  ")
    }

    /// The changed values, one per line: the heading of the field, and the value before and after. A removal only shows
    /// the value before. All headings have the same width. A line about a password has no heading.
    func changes(of schema: ProfileSchema) -> [(heading: String, values: String)] {
        let headings = values.map { $0.heading(in: schema) }
        let width = headings.map(\.displayWidth).max() ?? 0
        var changes = zip(headings, values).map { heading, value in
            (
                heading.visible.padded(to: width) + "  ",
                kind == .removed ? value.before?.visible ?? "–" : value.beforeAndAfter
            )
        }
        if setsPassword { changes.append(("", "A password was set")) }
        return changes
    }
}

extension HistoryEntry.ChangedValue {
    /// The heading of the field.
    func heading(in schema: ProfileSchema) -> String {
        FieldName(field).flatMap { schema[$0] }.map { schema.heading(of: .field($0)) } ?? field
    }

    /// The value before and after, as text for a terminal.
    var beforeAndAfter: String { "\(before?.visible ?? "–") → \(after?.visible ?? "–")" }
}
