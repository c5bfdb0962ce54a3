internal import Platform
internal import ProfileCore
internal import ProfileStore
internal import ProfileTransfer
internal import TerminalUI
internal import TextLayout

// Actions on several profiles of the table: select, edit, remove and export.
extension ProfileBrowser {
    /// The maximum number of profiles that can be selected. Their ids need some tens of megabytes.
    private static let mostSelected = 1_000_000

    func select(_ view: BrowseView) async throws(ProfileStoreError) -> BrowseScreen.Reply {
        if let ids = try await repository.ids(matching: repository.query(of: view), atMost: Self.mostSelected) {
            return .selected(ids)
        }
        return .failed(
            "More than \(Self.mostSelected.grouped) profiles match. \"profiles edit --where\" and \"profiles remove "
                + "--where\" change any number of profiles.")
    }

    /// Says what an edit would change. `setting` is an assignment, as for `profiles edit --set`.
    func previewEdit(of ids: Set<Int64>, _ setting: String) async -> BrowseScreen.Reply {
        await replying {
            let report = try await repository.edit(ids: ids, isPreview: true, applying: change(setting))
            let lines = [report.sentence(isPreview: true) + "."] + report.lines(of: repository.schema)
            guard report.edited > 0 else {
                return .text(TextScreen(title: "There is nothing to edit", lines: lines.map { .init($0) }))
            }
            return .editable(ids, setting: setting, text: lines.joined(separator: "\n"))
        }
    }

    func edit(_ ids: Set<Int64>, _ setting: String) async -> BrowseScreen.Reply {
        await replying {
            do {
                let report = try await repository.edit(ids: ids, applying: change(setting))
                let text = report.sentence(isPreview: false)
                return .changed(
                    text, left: TextScreen("Edited in part", text + ".", report.refusals(of: repository.schema)))
            } catch let stopped as StoppedWrite<EditReport> where stopped.report.edited > 0 {
                return .stopped(
                    stopped.error.text(after: stopped.report.sentence(isPreview: false)))
            }
        }
    }

    func remove(_ ids: Set<Int64>) async -> BrowseScreen.Reply {
        await replying {
            do {
                let report = try await repository.remove(ids: ids)
                let changed = report.changed > 0 ? "; \(report.changed) were changed meanwhile, and stay" : ""
                return .removedMany("Removed \(report.removed.counted("profile"))\(changed) (u undoes it)")
            } catch let stopped as StoppedWrite<RemovalReport> where stopped.report.removed > 0 {
                return .stopped(stopped.error.text(after: "Removed \(stopped.report.removed.counted("profile"))"))
            }
        }
    }

    func run(_ export: BrowseExport) async -> BrowseScreen.Reply {
        await replying {
            let path = try Self.expanded(export.path)
            var status = stat()
            let exists = stat(path, &status) == 0
            if exists {
                // Opening a pipe would wait for its reader. An export to a terminal would overwrite the screen.
                guard status.st_mode & S_IFMT == S_IFREG else {
                    throw CommandFailure(.cannotCreate, "\(path.visible) is not a file", "Name another file")
                }
            }
            guard let format = ExportFormat(ofFile: path) else {
                throw CommandFailure(.usage, ExportFormat.unknown(ofFile: path) + ".")
            }
            if exists, !export.isReplacing { return .exists(export) }
            let output = try StoreOptions.plain(database: database).outputFile(path, replacing: export.isReplacing)
            // The ids replace the conditions of the view, because a selection stays when the user changes the search.
            var query = repository.query(of: export.ids == nil ? export.view : BrowseView())
            query.order = repository.query(of: export.view).order
            let count = try await repository.export(
                matching: query, ids: export.ids, columns: export.columns.map { $0.compactMap { FieldName($0) } },
                as: format, temporaryFolder: Environment["TMPDIR"] ?? "/var/tmp", to: output.descriptor)
            try output.commit()
            return .exported("Exported \(count.counted("profile")) to \(path.visible)")
        }
    }

    /// Returns the path with the home directory in place of `~` if the path begins with `~/`, as in a shell.
    private static func expanded(_ path: String) throws(CommandFailure) -> String {
        guard path.hasPrefix("~/"), let home = try Environment.path("HOME") else { return path }
        return home + path.dropFirst()
    }

    private func change(_ setting: String) throws(CommandFailure) -> ValueChange {
        guard let assignment = Assignment(setting) else {
            throw CommandFailure(.usage, "This is no FIELD=VALUE", "Type the name of a field, = and the new value")
        }
        let value = JSONMember(assignment.field, .string(assignment.value))
        return try ValueChange(GivenValues(options: [value]), in: repository.schema)
    }

    /// Runs a request. An error becomes a reply, and the user can go on.
    private func replying(_ body: () async throws -> BrowseScreen.Reply) async -> BrowseScreen.Reply {
        do {
            return try await body()
        } catch {
            let failure: CommandFailure? =
                switch error {
                case let stopped as StoppedWrite<EditReport>: CommandFailure(stopped.error)
                case let stopped as StoppedWrite<RemovalReport>: CommandFailure(stopped.error)
                default: CommandFailure(error)
                }
            return .failed(failure?.lines.joined(separator: "\n") ?? "\(error)")
        }
    }
}

extension ProfileRepository {
    fileprivate func edit(
        ids: Set<Int64>, isPreview: Bool = false, applying change: ValueChange
    ) async throws(StoppedWrite<EditReport>) -> EditReport {
        try await edit(ids: ids, isPreview: isPreview) { profile, draft in change.apply(to: &draft, of: profile) }
    }
}

extension ProfileStoreError {
    /// Returns the message for a change that this error has stopped. The message begins with `done`, which says what
    /// was changed before the error.
    fileprivate func text(after done: String) -> String {
        ([done + ", and then it stopped."] + CommandFailure(self).lines).joined(separator: "\n")
    }
}
