internal import ArgumentParser
internal import Platform
internal import ProfileCore
internal import ProfileStore
internal import ProfileTransfer
internal import SchemaInference
internal import SpreadsheetReading
internal import TextLayout

struct DiffCommand: AsynchronousCommand, StoreUsing {
    static let configuration = CommandConfiguration(
        commandName: "diff",
        abstract: "Compare the profiles of two stores or files.",
        discussion: """
            Compares the profiles with equal keys, and shows which were added, removed or changed from the first to the \
            second. With one argument, the first is the store in use. A file is read by the rules of the store, or, if \
            both are files, by rules that are inferred from the first. Columns and fields that only one of them has are \
            named and not compared, and neither are passwords. Exits 1 if there are differences.

              profiles diff people.csv
              profiles diff backup.sqlite profiles.sqlite
              profiles diff january.csv may.csv --key invoice --format html > changes.html
            """)

    @Argument(
        help: ArgumentHelp(
            "The stores or files to compare; - is a file on standard input.", valueName: "store-or-file"),
        completion: .file(extensions: ["sqlite", "csv", "tsv", "txt", "ndjson", "jsonl", "json", "gz", "xlsx", "ods"]))
    var places: [String] = []

    @OptionGroup var columns: ColumnOptions

    @Option(
        help: ArgumentHelp(
            "For two files: use this column as the key, or several columns together.", valueName: "header,…"))
    var key: ColumnList?

    @Option(help: "Write the differences as text, json or html.")
    var format = Format.text

    @OptionGroup var store: StoreOptions

    enum Format: String, ExpressibleByArgument, CaseIterable {
        case text, json, html
    }

    func validate() throws {
        guard 1...2 ~= places.count else { throw ValidationError("Give one or two stores or files to compare.") }
        guard places.filter({ $0 == "-" }).count < 2 else {
            throw ValidationError("Only one of the two can be standard input.")
        }
    }

    var needsAddressSpace: Bool { true }

    func run() async throws {
        let named = places.count == 2 ? places : [try databasePath()] + places
        var stores: [ProfileRepository?] = []
        do {
            for (index, place) in named.enumerated() {
                stores.append(try await openStore(at: place, isNamed: places.count == 2 || index == 1))
            }
            if key != nil, stores.contains(where: { $0 != nil }) {
                throw CommandFailure(
                    .usage, "--key is for two files: profiles of a store are compared by the key of the store")
            }
            let comparison = try await comparison(of: named, stores)
            try show(comparison, named)
            let isSame =
                comparison.counts.differences == 0
                && [comparison.first, comparison.second].allSatisfy { $0.unreadRows == 0 && $0.repeatedKeys == 0 }
            await close(stores)
            if !isSame { throw CommandFailure(.no, lines: []) }
        } catch {
            await close(stores)
            throw error
        }
    }

    private func close(_ stores: [ProfileRepository?]) async {
        for store in stores { await store?.close() }
    }

    /// Opens a store. Returns nil if the place is a file of rows.
    private func openStore(at place: String, isNamed: Bool) async throws -> ProfileRepository? {
        guard place != "-" else { return nil }
        try StorePlace.refuseOtherURI(place)
        if isNamed, !StorePlace.isDatabase(place) {
            var status = stat()
            guard stat(place, &status) == 0 else { throw CommandFailure.cannotRead(place, errno) }
            // Only a regular file that is not empty can be a store. A pipe is not opened as a store, because its data
            // can be read only once.
            guard status.st_mode & S_IFMT == S_IFREG, status.st_size > 0 else { return nil }
        }
        do {
            return try await StorePlace.open(place, repositoryOptions("diff"))
        } catch let error as ProfileStoreError where isNamed && error.code == .notADatabase {
            return nil
        }
    }

    // MARK: Comparing

    private func comparison(of named: [String], _ stores: [ProfileRepository?]) async throws -> ProfileComparison {
        var options = ImportOptions()
        columns.adapt(&options)
        let rules: ProfileSchema
        if let store = stores.compactMap(\.self).first {
            rules = store.schema
        } else {
            rules = try await inferredRules(from: named[0], &options)
        }
        var sources: [ProfileComparison.Source] = []
        for (place, store) in zip(named, stores) {
            if let store {
                sources.append(.store(store))
            } else {
                options.format = Self.format(of: place)
                sources.append(.file(try input(place, rules), rules: rules, options: options))
            }
        }
        let folder = Environment["TMPDIR"] ?? "/var/tmp"
        do throws(ComparisonError) {
            return try await ProfileComparison(sources[0], sources[1], temporaryFolder: folder)
        } catch {
            guard case .file(_, let side) = error else { throw CommandFailure(error) }
            throw Self.failure(CommandFailure(error), of: named[side == .first ? 0 : 1])
        }
    }

    /// Makes a failure that names the file that could not be read.
    private static func failure(_ failure: CommandFailure, of place: String) -> CommandFailure {
        guard failure.status != .interrupted else { return failure }
        let name = CommandFailure.named(place)
        return CommandFailure(
            failure.status, lines: ["\(name): \(failure.lines.first ?? "")"] + failure.lines.dropFirst())
    }

    private func inferredRules(
        from place: String, _ options: inout ImportOptions
    ) async throws -> ProfileSchema {
        guard place != "-" else {
            throw CommandFailure(
                .usage, "The rules cannot be inferred from standard input, because it is read twice",
                "Give the file as the first of the two, and - as the second")
        }
        var inference = InferenceOptions()
        inference.format = Self.format(of: place)
        inference.key = key.map { .columns($0.headers) }
        if let folder = Environment["TMPDIR"] { inference.temporaryFolder = folder }
        let source = try input(place, nil)
        let proposal: SchemaProposal
        do {
            proposal = try await inference.proposal(for: source, isQuiet: store.quiet)
        } catch let error as InferenceError {
            throw Self.failure(CommandFailure(error, attempting: .comparing), of: place)
        }
        guard let schema = proposal.schema else {
            throw CommandFailure(
                .no, "No column of \(place.visible) can be the key: in each one a value is missing or repeated",
                "Choose a column, or several together, with --key")
        }
        proposal.adapt(&options)
        // `adapt` has added the columns without a field to the ignored columns. They are removed here, because an
        // ignored column that the second file lacks is an error. A comparison ignores columns without a field anyway.
        options.ignoredColumns = Set(columns.ignored)
        return schema
    }

    private func input(_ place: String, _ rules: ProfileSchema?) throws(CommandFailure) -> ImportInput {
        let input =
            place == "-"
            ? ImportInput(descriptor: STDIN_FILENO, name: place, byteCount: nil) : ImportInput(path: place)
        let layout = rules?.importSettings.layout ?? TableLayout()
        do throws(ImportError) {
            return try input.readingSheet(
                named: nil, usual: layout.sheet, headerRow: layout.headerLine,
                keptIn: Environment["TMPDIR"] ?? "/var/tmp")
        } catch {
            throw Self.failure(CommandFailure(error, attempting: .comparing), of: place)
        }
    }

    private static func format(of place: String) -> InputFormat {
        let name = place.hasSuffix(".gz") ? place.dropLast(3) : place[...]
        return [".json", ".ndjson", ".jsonl"].contains { name.hasSuffix($0) } ? .json : .automatic
    }

    // MARK: Showing

    private func show(_ comparison: ProfileComparison, _ named: [String]) throws {
        switch format {
        case .text:
            while let difference = try comparison.next() { try Output.standard.write(difference.text) }
            try Output.standard.print(comparison.counts.text)
            for remark in comparison.remarks(named) { note(remark) }
        case .json: try showJSON(comparison)
        case .html:
            var first: [ProfileDifference] = []
            while let difference = try comparison.next() {
                if first.count < DifferencePage.mostDifferences { first.append(difference) }
            }
            let page = DifferencePage(
                first: named[0], second: named[1], counts: comparison.counts, remarks: comparison.remarks(named),
                differences: first)
            try Output.standard.write(page.html)
        }
    }

    private func showJSON(_ comparison: ProfileComparison) throws {
        var opening = "{\n  \"differences\": ["
        var separator = "\n    "
        while let difference = try comparison.next() {
            try Output.standard.write(opening + separator + difference.json.text(within: 4))
            opening = ""
            separator = ",\n    "
        }
        let counts = comparison.counts
        let members: [(String, JSONValue)] = [
            ("added", .number(counts.added)), ("removed", .number(counts.removed)),
            ("changed", .number(counts.changed)), ("equal", .number(counts.equal)),
            ("fields", .array(comparison.fields.map { .string($0.text) })), ("first", comparison.first.json),
            ("second", comparison.second.json),
        ]
        let rest = members.map { ",\n  \(JSONValue.string($0).text()): \($1.text(within: 2))" }.joined()
        try Output.standard.write(opening + (opening.isEmpty ? "\n  ]" : "]") + rest + "\n}\n")
    }
}

extension ProfileDifference {
    /// A line with the key. For a changed profile, also a line for each value that differs.
    fileprivate var text: String {
        switch kind {
        case .added: return "+ \(key.visible)\n"
        case .removed: return "- \(key.visible)\n"
        case .changed:
            let former = formerKey == key ? "" : " (was \(formerKey.visible))"
            let width = values.map { $0.field.visible.displayWidth }.max() ?? 0
            return "~ \(key.visible)\(former)\n"
                + values.map { value in
                    let (before, after) = (value.before?.visible ?? "–", value.after?.visible ?? "–")
                    return "    \(value.field.visible.padded(to: width))  \(before) → \(after)\n"
                }.joined()
        }
    }

    fileprivate var json: JSONValue {
        let values = values.map { value -> JSONValue in
            [
                "field": .string(value.field), "before": value.before.map(JSONValue.string) ?? .null,
                "after": value.after.map(JSONValue.string) ?? .null,
            ]
        }
        return [
            "kind": .string(kind.rawValue), "key": .string(key), "former_key": .string(formerKey),
            "values": .array(values),
        ]
    }
}

extension ProfileComparison.Counts {
    fileprivate var text: String {
        let equalText = "\(equal.grouped) profile\(equal == 1 ? " is" : "s are") equal"
        guard differences > 0 else { return "No differences: \(equalText)" }
        return "\(differences.counted("difference")): \(added.grouped) added, "
            + "\(removed.grouped) removed, \(changed.grouped) changed; \(equalText)"
    }
}

extension ProfileComparison.Reading {
    fileprivate var json: JSONValue {
        [
            "other_fields": .array(otherFields.map { .string($0.text) }),
            "ignored_columns": .array(ignoredColumns.map(JSONValue.string)), "unread_rows": .number(unreadRows),
            "unread_lines": .array(unreadLines.map { .number($0) }), "repeated_keys": .number(repeatedKeys),
        ]
    }
}

extension ProfileComparison {
    /// Sentences about what was not compared.
    fileprivate func remarks(_ named: [String]) -> [String] {
        zip(named, [first, second]).flatMap { name, reading in
            var remarks: [String] = []
            let name = name == "-" ? "standard input" : name.visible
            if !reading.otherFields.isEmpty {
                remarks.append("Only \(name) has \(CommandFailure.list(reading.otherFields.map(\.text)))")
            }
            if !reading.ignoredColumns.isEmpty {
                let columns = CommandFailure.list(reading.ignoredColumns)
                remarks.append("\(name): columns that were not compared: \(columns)")
            }
            if reading.unreadRows > 0 {
                let isOne = reading.unreadRows == 1
                var lines = reading.unreadLines.prefix(5).map(String.init)
                if lines.count < reading.unreadRows { lines.append("…") }
                let list = (isOne ? "line " : "lines ") + lines.joined(separator: ", ")
                remarks.append(
                    "\(name): \(reading.unreadRows.counted("row")) \(isOne ? "has" : "have") no key or cannot be read "
                        + "(\(list)); \"profiles validate\" shows the reasons")
            }
            if reading.repeatedKeys > 0 {
                let isOne = reading.repeatedKeys == 1
                remarks.append(
                    "\(name): \(reading.repeatedKeys.counted("row")) \(isOne ? "repeats" : "repeat") the key "
                        + "of an earlier row, and \(isOne ? "was" : "were") not compared")
            }
            return remarks
        }
    }
}
