internal import ArgumentParser
internal import ProfileCore
internal import ProfileStore
internal import ProfileTransfer
internal import TextLayout

// Edits of all profiles that meet conditions.
extension EditCommand {
    func editMany() async throws {
        let given = try fields.values()
        if !many.dryRun, !many.yes { try global.requireTerminal(orGive: "--yes or --dry-run") }
        try await global.withStore("edit") { repository in
            let change = try ValueChange(given.clearing(clear, in: repository.schema), in: repository.schema)
            let query = try conditions.query(in: repository.schema)
            if many.dryRun || !many.yes {
                let preview = try await editing(query, change, in: repository, isPreview: true)
                if many.dryRun { return try show(preview, isPreview: true, in: repository) }
                note(preview.sentence(isPreview: true) + ".")
                for line in preview.lines(of: repository.schema) { note(line) }
                guard preview.edited > 0 else { throw CommandFailure(.no, "There is nothing to edit") }
                guard try LinePrompt.isConfirmed("Edit \(preview.edited == 1 ? "it" : "them")") else {
                    throw CommandFailure(.no, "Nothing was edited")
                }
            }
            let report = try await editing(query, change, in: repository, isPreview: false)
            try show(report, isPreview: false, in: repository)
        }
    }

    /// Edits the profiles that a query finds, in batches. After Ctrl-C, each batch is stored completely or not at all.
    /// If an error stops the edit, the failure first says how many profiles were edited.
    private func editing(
        _ query: ProfileQuery, _ change: ValueChange, in repository: ProfileRepository, isPreview: Bool
    ) async throws -> EditReport {
        do {
            return try await Interruption.cancelling(isQuiet: global.quiet) {
                try await repository.edit(matching: query, isPreview: isPreview) { profile, draft in
                    change.apply(to: &draft, of: profile)
                }
            }
        } catch let stopped as StoppedWrite<EditReport> {
            let isWritten = stopped.report.edited > 0 && !isPreview
            throw CommandFailure(stopped.error, after: isWritten ? stopped.report.sentence(isPreview: false) : nil)
        }
    }

    private func show(_ report: EditReport, isPreview: Bool, in repository: ProfileRepository) throws {
        switch global.format {
        case .json: try Output.standard.print(report.json(isPreview: isPreview).text(indented: true))
        case .text:
            if !global.quiet || isPreview {
                try Output.standard.print(report.sentence(isPreview: isPreview) + ".")
            }
            let lines = isPreview ? report.lines(of: repository.schema) : report.refusals(of: repository.schema)
            for line in lines { try Output.standard.print(line) }
        }
        if report.leftCount > 0 || report.edited + report.unchanged == 0 { throw CommandFailure(.no, lines: []) }
    }
}

/// The options of a command that changes many profiles.
struct ManyOptions: ParsableArguments {
    @Flag(help: "Match all profiles; not together with conditions.")
    var all = false

    @Flag(help: "Do not ask.")
    var yes = false

    @Flag(help: "With conditions or --all: show what would change, and write nothing.")
    var dryRun = false

    /// Checks that a command has only one of: a username, conditions, `--all`. Also checks that `--dry-run` comes with
    /// conditions or `--all`, and without `--yes`.
    ///
    /// - Returns: Whether the command gives conditions or `--all`.
    func areMeant(insteadOf username: String?, with conditions: ConditionOptions) throws -> Bool {
        guard conditions.isEmpty || !all else { throw ValidationError("Give conditions or --all, not both.") }
        let isMany = all || !conditions.isEmpty
        guard !isMany || username == nil else {
            throw ValidationError("Give a username, or conditions for many profiles, not both.")
        }
        guard isMany || !dryRun else {
            throw ValidationError("--dry-run needs --where or another condition, or --all.")
        }
        guard !yes || !dryRun else { throw ValidationError("Give --yes or --dry-run, not both.") }
        return isMany
    }
}

extension ProfileSchema {
    /// Throws if no field has this name. The user named the field to clear it.
    func requireClearable(_ name: String) throws(CommandFailure) {
        guard FieldName(try self.name(told: name)).flatMap({ self[$0] }) == nil else { return }
        throw CommandFailure(.usage, "There is no field \"\(name)\" to clear")
    }
}

extension EditReport {
    /// The numbers of the report, without a full stop.
    func sentence(isPreview: Bool) -> String {
        var parts = ["\(edited.counted("profile")) \(isPreview ? "would be edited" : "edited")"]
        if unchanged > 0 { parts.append("\(unchanged) already \(unchanged == 1 ? "has" : "have") these values") }
        if leftCount > 0 { parts.append("\(leftCount) \(isPreview ? "would be refused" : "refused")") }
        if changed > 0 {
            parts.append(
                "\(changed) not edited, because another process changed \(changed == 1 ? "it" : "them") meanwhile")
        }
        return parts.joined(separator: ", ")
    }

    /// The first changed profiles, and the refused ones.
    func lines(of schema: ProfileSchema) -> [String] {
        let width = examples.map(\.username.displayWidth).max() ?? 0
        let lines = examples.flatMap { example in
            example.values.enumerated().map { index, value in
                "  " + (index == 0 ? example.username.visible : "").padded(to: width)
                    + "  \(value.heading(in: schema).visible)  \(value.beforeAndAfter)"
            }
        }
        let rest = edited - examples.count
        return lines + (rest > 0 ? ["  … and \(rest) more"] : []) + refusals(of: schema)
    }

    /// The first refused profiles, with the reasons, and the number of the others.
    func refusals(of schema: ProfileSchema) -> [String] {
        let lines = left.prefix(Self.mostLines).map { left in
            "  \(left.username.visible) stays: \(left.reason.text(of: schema).visible)"
        }
        let rest = leftCount - lines.count
        return lines + (rest > 0 ? ["  … and \(rest) more stay"] : [])
    }

    private static let mostLines = 20

    func json(isPreview: Bool) -> JSONValue {
        [
            "is_dry_run": .bool(isPreview), "edited": .number(edited), "unchanged": .number(unchanged),
            "changed_meanwhile": .number(changed), "left_count": .number(leftCount),
            "left": .array(
                left.map { left in
                    [
                        "id": .number(left.profileID), "username": .string(left.username),
                        "reason": .string(left.reason.name),
                    ]
                }),
            "examples": .array(
                examples.map { example in
                    [
                        "id": .number(example.profileID), "username": .string(example.username),
                        "values": .array(example.values.map(\.json)),
                    ]
                }),
        ]
    }
}
