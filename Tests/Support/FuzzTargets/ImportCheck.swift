internal import CSVStream
internal import ProfileCore
internal import ProfileStore
internal import ProfileTransfer

/// Imports an input with chosen options, and compares the report and the store with those of the reference.
struct ImportCheck {
    let choices: ImportChoices
    let bytes: [UInt8]

    /// A function that returns the rows of the input as the reference reads them. The report tells the reference what
    /// the import has detected, such as the format. Nil if the reference cannot read the input.
    typealias Reading = (ImportReport) throws -> [ReferenceRow]?

    /// - Parameters:
    ///   - reading: Reads the rows.
    ///   - mayRefuse: Whether the import may refuse the input with this error.
    /// - Throws: ``Contradiction``.
    func run(reading: Reading, mayRefuse: (ImportError) -> Bool) async throws {
        try await choices.withStore { repository in
            try await run(in: repository, reading: reading, mayRefuse: mayRefuse)
        }
    }

    private func run(
        in repository: ProfileRepository, reading: Reading, mayRefuse: (ImportError) -> Bool
    ) async throws {
        let before = try await repository.referenceProfiles()
        var dry: ImportReport?
        if choices.hasDryRun {
            var options = choices.options
            options.isDryRun = true
            dry = try? await ProfileImporter(repository: repository, options: options).run(choices.input(bytes))
            try require(try await repository.referenceProfiles(), is: before, "a dry run changes the store")
        }
        let rejects = Gathered()
        let report: ImportReport
        do throws(ImportError) {
            report = try await ProfileImporter(repository: repository, options: choices.options)
                .run(choices.input(bytes), rejects: ChunkSink { await rejects.add($0) })
        } catch {
            try require(mayRefuse(error), "the import throws \(error)")
            try require(try await repository.referenceProfiles(), is: before, "a refused import changes the store")
            return
        }
        try requireSum(report)
        try require(report.hasWrittenRejects, "not all rejected rows are written")
        let stored = try await repository.referenceProfiles()
        if let dry { try require(dry.outcomes, is: report.outcomes, "the dry run's outcomes") }
        guard let rows = try reading(report) else { return }
        try compare(report, rows, before: before, stored: stored)
        try await compareRejects(rejects.bytes, report, rows)
        try await requireNoPassword(rejects.bytes, report, rows)
        if choices.isRepeated { try await runAgain(in: repository, rows, stored: stored, report) }
    }

    private func requireSum(_ report: ImportReport) throws {
        try require(report.rows, is: report.outcomes.reduce(0, +), "the sum of \(report.outcomes)")
    }

    private func compare(
        _ report: ImportReport, _ rows: [ReferenceRow], before: [ReferenceStore.Bytes: ReferenceStore.Values],
        stored: [ReferenceStore.Bytes: ReferenceStore.Values]
    ) throws {
        try require(report.rows, is: rows.count, "rows")
        guard !choices.isUncertain else { return }
        var reference = ReferenceStore(before, choices.schema)
        try reference.take(rows, choices.options.duplicates)
        try requireIssues(report, of: reference)
        if choices.options.isAllOrNothing, !reference.rejected.isEmpty {
            try require(report.imported + report.updated, is: 0, "stored rows of an import that stores nothing")
            try require(report.rejected, is: reference.rejected.count, "rejected rows of an import that stores nothing")
            try require(stored, is: before, "the store after an import that stores nothing")
            return
        }
        try require(report.outcomes, is: reference.outcomes, "imported, updated, skipped, rejected")
        try require(stored, is: choices.options.isDryRun ? before : reference.profiles, "the stored values")
    }

    /// Requires that the report lists the rejected rows and no other row, each with its line and its number.
    private func requireIssues(_ report: ImportReport, of reference: ReferenceStore) throws {
        let listed = Dictionary(grouping: report.issues.listed, by: \.record)
        try require(listed.keys.sorted(), is: reference.rejected.map(\.row.number), "the numbers of rejected rows")
        for (row, codes) in reference.rejected {
            let issues = listed[row.number] ?? []
            try require(issues.allSatisfy { $0.line == row.line }, "row \(row.number) is at \(row.line): \(issues)")
            guard let codes else { continue }
            let found = Set(issues.map { "\($0.issue.code)" })
            try require(found.isSuperset(of: codes), "row \(row.number) has \(codes): \(issues)")
        }
    }

    /// Requires that the file of rejected rows can be read, and that it contains each rejected row with its line
    /// number.
    private func compareRejects(_ bytes: [UInt8], _ report: ImportReport, _ rows: [ReferenceRow]) throws {
        var bytes = bytes
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { bytes.removeFirst(3) }
        let delimiter: UInt8 = if case .csv(let byte?) = report.format { byte } else { UInt8(ascii: ",") }
        let records = ReferenceSplitter(bytes: bytes, delimiter: delimiter).rows()
        try require(records.count, is: report.rejected + 1, "records in the file of rejected rows")
        try require(records.allSatisfy { $0.fault == nil }, "a fault in the file of rejected rows: \(records)")
        let width = records[0].cells.count
        let last = records[0].cells.suffix(2).map { String(decoding: $0, as: UTF8.self) }
        try require(last, is: ["_line", "_issues"], "the last columns of the file of rejected rows")
        let rowsAtLines = Dictionary(grouping: rows, by: \.line)
        for record in records.dropFirst() {
            let line = record.cells.suffix(2).first.flatMap { Int(String(decoding: $0, as: UTF8.self)) }
            let found = line.flatMap { rowsAtLines[$0] } ?? []
            try require(!found.isEmpty, "a rejected row at \(line ?? 0)")
            // A row that cannot be assigned to the columns has a wrong number of cells here too.
            guard found.allSatisfy({ $0.cells != nil && $0.codes.isEmpty }) else { continue }
            try require(record.cells.count, is: width, "cells in line \(record.line) of the file of rejected rows")
        }
    }

    /// Requires that neither the file of rejected rows nor the report shows a password (P12). All passwords of the
    /// corpus contain the word "Secr3t". If a cell of another column contains this word, the method checks nothing.
    private func requireNoPassword(_ rejects: [UInt8], _ report: ImportReport, _ rows: [ReferenceRow]) throws {
        let word = Array("Secr3t".utf8)
        let isShown = rows.contains { row in
            row.cells?.contains { $0.key != "password" && Array($0.value.utf8).firstRange(of: word) != nil } ?? false
        }
        let hasColumn = rows.contains { $0.cells?.keys.contains("password") ?? false }
        guard choices.schema.hasPassword, hasColumn, !isShown, report.format != .json else { return }
        let text = Array("\(report.issues.listed)".utf8)
        try require(rejects.firstRange(of: word) == nil, "a password is in the file of rejected rows")
        try require(text.firstRange(of: word) == nil, "a password is in the report")
    }

    /// Imports the same input again with each policy for duplicates. Requires the outcome and the stored values that
    /// the reference expects.
    private func runAgain(
        in repository: ProfileRepository, _ rows: [ReferenceRow],
        stored: [ReferenceStore.Bytes: ReferenceStore.Values], _ first: ImportReport
    ) async throws {
        for policy in ImportOptions.DuplicatePolicy.allCases {
            var options = choices.options
            options.duplicates = policy
            options.isAllOrNothing = false
            // Hashing the passwords once more would be slow, so an import with passwords is a dry run.
            if choices.schema.hasPassword { options.isDryRun = true }
            let before = try await repository.referenceProfiles()
            let report: ImportReport
            do throws(ImportError) {
                report = try await ProfileImporter(repository: repository, options: options).run(choices.input(bytes))
            } catch .columnMismatch where choices.options.duplicates == .update {
                // The input lacks the column of a required field. Only an import with the policy `update` accepts this.
                continue
            } catch {
                throw error
            }
            try requireSum(report)
            if choices.schema.hasPassword, policy == .update { continue }
            var reference = ReferenceStore(before, choices.schema)
            try reference.take(rows, policy)
            try require(report.outcomes, is: reference.outcomes, "the outcomes of \(policy) after the first import")
            try require(
                try await repository.referenceProfiles(), is: options.isDryRun ? before : reference.profiles,
                "the values after the second import, \(policy)")
        }
    }
}

extension ImportReport {
    var outcomes: [Int] { [imported, updated, skipped, rejected] }
}

/// The bytes that were written to a sink.
private actor Gathered {
    private(set) var bytes: [UInt8] = []

    func add(_ chunk: [UInt8]) { bytes += chunk }
}
