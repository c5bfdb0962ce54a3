internal import ArgumentParser
internal import ProfileCore
internal import ProfileStore
internal import ProfileStoreSQLite
internal import TextLayout

struct CheckCommand: AsynchronousCommand, ResultWriting {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Check whether a store is sound.",
        discussion: """
            Checks the integrity of every page, foreign keys, settings, and who may read the files. For a database, \
            checks the settings that decide whether committed writes are kept, and the standbys that copy them. Exits \
            1 if anything is wrong.

              profiles check
            """)

    @OptionGroup var store: StoreOptions
    @OptionGroup var result: ResultOptions

    func run() async throws {
        do {
            if try await !isSound() { throw CommandFailure(.no, "The store is not sound") }
        } catch let error as ProfileStoreError {
            guard case .corrupt(let damage) = error.reason else { throw error }
            // The usual hint is to run this command, so the failure has another hint.
            let path = try global.databasePath()
            let damaged = "is damaged: \(CommandFailure.text(damage))"
            guard !StorePlace.isDatabase(path) else { throw CommandFailure(.badInput, "The store \(damaged)") }
            throw CommandFailure(
                .badInput, "The store \(path) \(damaged)", "Restore a backup with \"profiles restore BACKUP\"")
        }
    }

    private func isSound() async throws -> Bool {
        try await global.withStore("check") { repository in
            #if Postgres
                if StorePlace.isDatabase(repository.place) { return try await checkCluster(repository) }
            #endif
            let check = try await repository.check()
            let statistics = try await repository.statistics()
            let unjudged = try await repository.rules.countUnjudged()
            switch global.format {
            case .text: try Output.standard.write(Self.text(check, statistics, unjudged, repository.place))
            case .json:
                try Output.standard.print(Self.json(check, statistics, unjudged, repository.place))
            }
            return check.isSound
        }
    }

    private static func text(
        _ check: StoreCheck, _ statistics: StoreStatistics, _ unjudged: Int, _ path: String
    ) -> String {
        var block = TextBlock()
        block.add(statistics, unjudged: unjudged, place: path)
        block.add("Size", "\(statistics.fileBytes) bytes, and \(statistics.walBytes) in the write-ahead log")
        block.addGap()
        block.add("Integrity", check.integrityTexts.isEmpty ? "ok" : check.integrityTexts.joined(separator: "; "))
        block.add("Foreign keys", check.danglingRows.isEmpty ? "ok" : check.foreignKeyTexts.joined(separator: "; "))
        block.add("SQLite", check.sqliteVersion + (check.hasWALResetDefect ? "; \(defectText(check))" : ""))
        block.add("Write lock", check.writeLockIsOn ? "on" : "MISSING")
        block.addGap()
        for setting in check.settings {
            block.add(setting.name, setting.value + (setting.isAsWanted ? "" : "  WRONG"))
        }
        block.addGap()
        for file in check.files {
            block.add("0" + String(file.mode, radix: 8), file.path + (file.isPrivate ? "" : "  NOT PRIVATE: chmod 600"))
        }
        return block.text
    }

    private static func defectText(_ check: StoreCheck) -> String {
        check.writeLockIsOn
            ? "its WAL-reset defect cannot do harm here, since the write lock guards against it"
            : "its WAL-reset defect can lose commits, since the write lock is missing"
    }

    private static func json(
        _ check: StoreCheck, _ statistics: StoreStatistics, _ unjudged: Int, _ path: String
    ) -> JSONValue {
        let file: JSONValue = [
            "integrity": .array(check.integrityTexts.map(JSONValue.string)),
            "foreign_keys": .array(check.foreignKeyTexts.map(JSONValue.string)),
            "sqlite_version": .string(check.sqliteVersion), "wal_reset_defect": .bool(check.hasWALResetDefect),
            "write_lock": .bool(check.writeLockIsOn),
            "settings": .array(
                check.settings.map {
                    ["name": .string($0.name), "value": .string($0.value), "as_wanted": .bool($0.isAsWanted)]
                }),
            "files": .array(
                check.files.map {
                    [
                        "path": .string($0.path), "mode": .string(String($0.mode, radix: 8)),
                        "private": .bool($0.isPrivate),
                    ]
                }),
        ]
        return contents(statistics, unjudged, path, isSound: check.isSound).merging(file)
    }

    /// Returns the properties that every store has, on any engine.
    static func contents(
        _ statistics: StoreStatistics, _ unjudged: Int, _ place: String, isSound: Bool
    ) -> JSONValue {
        let place: JSONValue = ["database": .string(place), "sound": .bool(isSound), "unjudged": .number(unjudged)]
        return place.merging(statistics.json)
    }
}

extension JSONValue {
    /// Returns an object with the members of this object, followed by the members of the other object.
    func merging(_ other: JSONValue) -> JSONValue {
        guard case .object(let members) = self, case .object(let others) = other else { return self }
        return .object(members + others)
    }
}

extension TextBlock {
    /// Adds the properties that every store has, on any engine.
    mutating func add(_ statistics: StoreStatistics, unjudged: Int, place: String) {
        add("Store", place)
        add("Profiles", "\(statistics.profiles), \(statistics.invalid) of them marked invalid")
        if unjudged > 0 { add("", unjudged.unjudgedProfiles) }
        add("Secrets", "\(statistics.withPassword) passwords, \(statistics.withPasscode) passcodes")
        add("Schema version", String(statistics.schemaVersion))
        add("Log of changes", "newest number \(statistics.changeNumber)")
    }
}

extension StoreCheck {
    fileprivate var integrityTexts: [String] {
        integrity + wrongCounts.map { "\($0.name) should be \($0.rows): migrate the store" }
    }

    fileprivate var foreignKeyTexts: [String] {
        danglingRows.map { "row \($0.id ?? 0) of \($0.table) refers to a row of \($0.parentTable) that is not there" }
    }
}
