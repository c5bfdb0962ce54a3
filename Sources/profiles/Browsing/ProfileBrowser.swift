internal import ProfileCore
internal import ProfileStore
internal import TerminalUI
internal import TextLayout

/// Shows the profiles of a store in a table. The user opens the forms from this table.
struct ProfileBrowser {
    let repository: ProfileRepository
    /// The value of `--database`. An export uses it to find the files of the store, which it must not replace.
    let database: String?
    var usesMouse = true

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
        try await ScreenSession.keepingTerminal(usesMouse: usesMouse, orElse: Self.advice) { session in
            let arrangement = ColumnRecord(ofStore: repository.place).read()
            var place = BrowseScreen.Place(searching: text, arrangement: arrangement ?? ColumnArrangement())
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
                case .select(let view): return .reply(try await select(view))
                case .previewEdit(let ids, let setting): return .reply(await previewEdit(of: ids, setting))
                case .editMany(let ids, let setting): return .reply(await edit(ids, setting))
                case .removeMany(let ids): return .reply(await remove(ids))
                case .export(let export): return .reply(await run(export))
                case .remember(let arrangement):
                    ColumnRecord(ofStore: repository.place).write(arrangement)
                    return .reply(.done)
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
        if let text = try await repository.historyText(ofID: id, name) { return .text(text) }
        return .noted(TextScreen.noHistory(of: name))
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
        let text = "Undone: " + report.outcome(isPreview: false)
        return .changed(text, left: TextScreen("Undone in part", text, report.lines(of: repository.schema)))
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

extension TextScreen {
    /// A text about the profiles that an edit or an undo did not change completely. Each line names a profile and the
    /// reason. Nil if there are no lines.
    init?(_ title: String, _ outcome: String, _ lines: [String]) {
        if lines.isEmpty { return nil }
        self.init(title: title, lines: ([outcome, ""] + lines).map { .init($0) })
    }
}

extension String {
    /// Returns the text as a cell of tab-separated values. If the text contains a tab, a line end or a quotation mark,
    /// it gets quotes, because a spreadsheet would split it otherwise. A single value (`isAlone`) never gets quotes.
    fileprivate func asTabSeparated(isAlone: Bool) -> String {
        guard !isAlone, contains(where: { $0 == "\t" || $0 == "\"" || $0.isNewline }) else { return self }
        return "\"" + replacing("\"", with: "\"\"") + "\""
    }
}
