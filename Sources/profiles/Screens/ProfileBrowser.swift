internal import ProfileCore
internal import ProfileStore
internal import TerminalUI
internal import TextLayout

/// Shows the profiles of a store in a table. The user opens the forms from this table.
struct ProfileBrowser {
    let repository: ProfileRepository

    /// An action with its own screen.
    private enum Errand {
        case edit(id: Int64)
        case register
    }

    /// The advice to print if there is no terminal.
    static let advice = "\"profiles list\" prints profiles"

    /// The user has left the table.
    private struct Left: Error {}

    /// Shows the table until the user leaves it.
    func run(searching text: String) async throws {
        try await ScreenSession.keepingTerminal(orElse: Self.advice) { session in
            var place = BrowseScreen.Place(searching: text)
            var news = News()
            while true {
                let screen = BrowseScreen(
                    columns: repository.schema.browseColumns, at: place, note: news.note, notices: news.notices)
                do {
                    let errand: Errand
                    (errand, place) = try await browse(screen, in: session)
                    news = try await run(errand, in: session)
                } catch is Left {
                    return
                }
            }
        }
    }

    private func browse(
        _ screen: BrowseScreen, in session: ScreenSession
    ) async throws -> (Errand, BrowseScreen.Place) {
        try await session.run(
            screen, unfinished: "Interrupted", whenLeft: { Left() }
        ) { request in
            do throws(ProfileStoreError) {
                switch request {
                case .edit(let id, let place): return .done((.edit(id: id), place))
                case .register(let place): return .done((.register, place))
                case .remove(let id, let name, let revision):
                    _ = try await repository.remove(name, expecting: revision)
                    return .reply(.removed(id: id, name: name))
                case .history(let id, let name): return .reply(try await history(ofID: id, name))
                case .previewUndo: return .reply(try await previewUndo())
                case .undo(let change): return .reply(try await undo(change))
                case .copy(let id, let column): return .reply(try await copy(column, ofID: id, in: session))
                }
            } catch {
                return .reply(.failed(CommandFailure(error).lines.joined(separator: "\n")))
            }
        } supplying: { demand in
            do throws(ProfileStoreError) {
                return try await repository.supply(demand)
            } catch let error where error.code == .invalidQuery && !repository.schema.hasColumns(of: demand.view) {
                // The query is invalid because a field of its order or of a condition no longer exists.
                return .rows([], of: repository.schema.browseColumns, demand, goingOn: nil)
            } catch {
                return .unreadable(CommandFailure(error).lines.joined(separator: ". "))
            }
        }
    }

    private func history(ofID id: Int64, _ name: String) async throws(ProfileStoreError) -> BrowseScreen.Reply {
        let entries = try await repository.history(ofID: id)
        guard !entries.isEmpty else { return .noted("The history has no change of \(name.visible)") }
        return .text(
            TextScreen(
                title: "History of \(name.visible)", lines: entries.flatMap { $0.shown(by: repository.schema) }))
    }

    private func previewUndo() async throws(ProfileStoreError) -> BrowseScreen.Reply {
        guard let change = try await repository.changeToUndo() else { return .noted("There is no change to undo") }
        let report = try await undo(change, isPreview: true)
        let lines = [report.sentence(isPreview: true).visible + "."] + report.lines(of: repository.schema)
        guard report.changedCount > 0 else {
            return .text(TextScreen(title: "There is nothing to undo", lines: lines.map { .init($0) }))
        }
        return .undoable(change: change.number, text: lines.joined(separator: "\n"))
    }

    private func undo(_ number: Int64) async throws(ProfileStoreError) -> BrowseScreen.Reply {
        let report = try await undo(try await repository.historyChange(number), isPreview: false)
        return .undone("Undone: " + report.outcome(isPreview: false), left: report.lines(of: repository.schema))
    }

    private func copy(
        _ column: BrowseColumn?, ofID id: Int64, in session: ScreenSession
    ) async throws(ProfileStoreError) -> BrowseScreen.Reply {
        guard let profile = try await repository.profile(id: id) else {
            return .failed("The profile no longer exists: it was removed")
        }
        let fields = profile.fields.filter { column == nil || $0.rules.name.text == column?.name }
        let text = fields.map { ($0.value ?? "").asTabSeparated(isAlone: column != nil) }.joined(separator: "\t")
        guard !text.isEmpty else { return .noted("There is no value to copy") }
        guard text.utf8.count <= Self.mostCopied else {
            return .noted("The value is too long for the clipboard of a terminal")
        }
        session.copy(text)
        return .noted("Copied \(column?.title.visible ?? "all values of \(profile.username.visible)")")
    }

    private func undo(_ change: HistoryChange, isPreview: Bool) async throws(ProfileStoreError) -> UndoReport {
        do throws(StoppedWrite<UndoReport>) {
            return try await repository.undo(change, isPreview: isPreview)
        } catch {
            throw error.error
        }
    }

    /// The maximum number of bytes to copy. Some terminals ignore a longer text.
    private static let mostCopied = 65_536

    /// The outcome of an action. The table shows it when the user returns to the table.
    private struct News {
        var note: String?
        var notices: [NoticeScreen] = []
    }

    private func run(_ errand: Errand, in session: ScreenSession) async throws -> News {
        do {
            switch errand {
            case .edit(let id):
                guard let stored = try await repository.profile(id: id) else {
                    return News(notices: [.error("The profile no longer exists: it was removed")])
                }
                let profile = try await EditForm(repository: repository, stored: stored, session: session).run()
                return News(note: "Stored \(profile.username)")
            case .register:
                let profile = try await RegistrationForm(repository: repository, session: session).run()
                return News(note: "Registered \(profile.username)")
            }
        } catch let failure as CommandFailure where failure.isChosen && failure.status == .no {
            return News(note: failure.lines.joined(separator: ". "))
        } catch let error as ProfileStoreError {
            return News(notices: [.error(CommandFailure(error).lines.joined(separator: "\n"))])
        }
    }
}

extension ProfileRepository {
    /// Reads the rows or the count that a table demands.
    fileprivate func supply(_ demand: BrowseDemand) async throws(ProfileStoreError) -> BrowseScreen.Reply {
        switch demand {
        case .count(let view): return .count(try await count(query(of: view)), view)
        case .rows(let view, let start, let count):
            var query = query(of: view)
            query.limit = count
            query.isReversed = start.isUpward
            var skipped = 0
            switch start {
            case .first, .last: break
            case .row(let index):
                let place = try await place(before: index)
                query.after = ProfileCursor(id: place.id)
                skipped = index - place.count
                query.limit += skipped
            case .after(let place), .before(let place): query.after = ProfileCursor(place)
            }
            // A search reads a limited number of ids at a time, so the first matches are shown early.
            let page =
                query.order == nil && (query.text != nil || query.status != nil || !query.conditions.isEmpty)
                ? try await page(of: query, lookingAt: Self.idsAtOnce) : try await profiles(query)
            let place = query
            let rows = page.profiles.dropFirst(skipped).map { profile in
                BrowseRow(profile, searching: view.search, place: place.cursor(at: profile))
            }
            let columns = (page.profiles.first?.schema ?? schema).browseColumns
            return .rows(rows, of: columns, demand, goingOn: page.next?.description)
        }
    }

    /// Returns an id and the number of profiles up to this id, so that few profiles are between this id and the row with
    /// an index in the order of ids. Counting ids takes a hundredth of the time of reading the profiles.
    private func place(before index: Int) async throws(ProfileStoreError) -> (id: Int64, count: Int) {
        guard let name = ProfileFact.id.rules?.name,
            let first = try await profiles(ProfileQuery(limit: 1)).profiles.first?.id,
            let last = try await profiles(ProfileQuery(isReversed: true, limit: 1)).profiles.first?.id
        else { return (0, 0) }
        var low = (id: first - 1, count: 0)
        var high = (id: last, count: try await count())
        // If ids were never removed, the first estimate is right. If they were, halving the range always ends.
        var halves = false
        while low.count + Self.mostSkipped < index, index < high.count, high.id - low.id > 1 {
            let share = halves ? 0.5 : Double(index - low.count) / Double(high.count - low.count)
            let id = low.id + max(1, min(high.id - low.id - 1, Int64(Double(high.id - low.id) * share)))
            let count = try await count(ProfileQuery([ProfileQuery.Condition(name, .isAtMost(String(id)))]))
            if count <= index { low = (id, count) } else { high = (id, count) }
            halves.toggle()
        }
        return index < high.count ? low : high
    }

    /// The maximum number of profiles that are read and not shown.
    private static let mostSkipped = 1_000

    private func query(of view: BrowseView) -> ProfileQuery {
        let order = view.order.flatMap { order in
            FieldName(order.column).map { ProfileQuery.Order($0, isDescending: order.isDescending) }
        }
        let status: ProfileQuery.Status? =
            switch view.filter {
            case .everything: nil
            case .invalid: .invalid
            case .unjudged: .unjudged
            }
        let conditions = view.conditions.compactMap { condition in
            FieldName(condition.column).map { ProfileQuery.Condition($0, condition.comparison) }
        }
        return ProfileQuery(conditions, text: view.search.isEmpty ? nil : view.search, status: status, order: order)
    }

    /// The number of ids that a search reads at a time. Reading this number of ids takes some hundredths of a second.
    private static let idsAtOnce: Int64 = 50_000
}

extension ProfileSchema {
    fileprivate var browseColumns: [BrowseColumn] {
        openFields.map { field in
            BrowseColumn(
                field.name.text, title: field.title, isNumber: field.type == .integer || field.type == .number,
                isKey: field.isPrimaryKey)
        }
    }

    /// Whether the schema still has all fields of a view's order and conditions.
    fileprivate func hasColumns(of view: BrowseView) -> Bool {
        (view.conditions.map(\.column) + [view.order?.column].compactMap(\.self)).allSatisfy { column in
            openFields.contains { $0.name.text == column }
        }
    }
}

extension BrowseDemand {
    fileprivate var view: BrowseView {
        switch self {
        case .count(let view), .rows(let view, _, _): view
        }
    }
}

extension BrowseView.Condition {
    fileprivate var comparison: ProfileQuery.Comparison {
        guard let value else { return isExcluded ? .isPresent : .isAbsent }
        return isExcluded ? .differs(from: value) : .equals(value)
    }
}

extension HistoryEntry {
    /// The entry as `profiles history` prints it.
    fileprivate func shown(by schema: ProfileSchema) -> [TextScreen.Line] {
        [TextScreen.Line(headline(namingProfile: false).visible, .bold)]
            + changes(of: schema).map { TextScreen.Line("  " + $0.heading, $0.values) }
    }
}

extension String {
    /// The text as a cell of tab-separated values. Spreadsheets read a text with a tab or a line end only in quotes.
    fileprivate func asTabSeparated(isAlone: Bool) -> String {
        guard !isAlone, contains(where: { $0 == "\t" || $0 == "\"" || $0.isNewline }) else { return self }
        return "\"" + replacing("\"", with: "\"\"") + "\""
    }
}

extension BrowseRow {
    fileprivate init(_ profile: Profile, searching search: String, place: ProfileCursor) {
        var facts: [Fact] = []
        if profile.schema.hasPassword { facts.append(Fact("Password", profile.hasPassword ? "set" : "not set")) }
        facts += [
            Fact("Revision", String(profile.revision)), Fact("Created", profile.createdAt.text),
            Fact("Updated", profile.updatedAt.text),
        ]
        self.init(
            id: profile.id, revision: profile.revision, name: profile.username, cells: profile.fields.map(\.value),
            searching: search, issues: profile.issues.map(\.message), facts: facts, place: place.description)
    }
}
