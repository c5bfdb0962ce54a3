import Platform
import ProfileCore
@testable import ProfileStore
import ProfileTesting
import ProfileTransfer
import SecretHashing
import StoreFixtures

/// A named operation on a store.
struct Verb: Sendable {
    let name: String
    private let body: @Sendable (ProfileRepository) async throws -> String

    init(_ name: String, _ body: @escaping @Sendable (ProfileRepository) async throws -> String) {
        self.name = name
        self.body = body
    }

    /// Runs the operation and describes its outcome. Equal outcomes have equal descriptions.
    func outcome(on repository: ProfileRepository) async -> String {
        do { return try await body(repository) } catch { return "threw \(error)" }
    }
}

/// Random verbs of all kinds. There are so few names and values that verbs often concern the same profile.
struct RandomVerbs {
    var random: SeededGenerator
    /// The number of tokens drawn so far. No token is drawn twice.
    var drawnTokens = 0
    /// How many changes the stores remember.
    let mostChanges: Int
    /// Whether a call may be a day later than the next one. SQLite then deletes the keys that have expired by that day.
    var keysExpire = true

    init(_ random: SeededGenerator) {
        self.random = random
        mostChanges = Int.random(in: 1...250, using: &self.random)
    }

    /// How long until the next verb, in milliseconds.
    mutating func pause() -> Int { Int.random(in: 0...300, using: &random) }

    mutating func next(at time: Timestamp) -> Verb {
        switch Int.random(in: 0..<55, using: &random) {
        case 0...3: register(at: time)
        case 4...6: replace(at: time)
        case 7: remove(at: time)
        case 8...9: random.once(in: 3) ? changeNames() : adopt(at: time)
        case 10: setPasscode(at: time)
        case 11: replacePasscode(at: time)
        case 12...15: attempt(at: time)
        case 16: mark()
        case 17: Verb("revalidate") { try await $0.rules.revalidate().text }
        case 18...19: changes()
        case 20, 40...42: page()
        case 43: count()
        case 44: history()
        case 45: erase(at: time)
        case 46...47: editMany()
        case 48...51: undo()
        case 52...54: merge()
        case 21: scan()
        case 22: look()
        case 23: removeMany(at: time)
        case 24: outcome(at: time)
        case 26...29: attemptsAroundChange(at: time)
        case 30...34: sessions(at: time)
        case 35...36: accessTokens(at: time)
        case 37...39: resets(at: time)
        default: importing()
        }
    }

    /// Verbs that together read everything in a store.
    func everything(at time: Timestamp) -> [Verb] {
        let fields = ["username", "email", "note", "password"].compactMap { name in
            Self.schemas.lazy.compactMap { schema in FieldName(name).flatMap { schema[$0] } }.first
        }
        return [
            Verb("scan by the rules in force") { repository in
                let fields = repository.schema.fields
                let scan = StoreScan(fields: fields, mostRows: .max, mostBytes: .max)
                return try await repository.engine.scan(scan).text(fields: fields.count)
            },
            Verb("scan everything") { repository in
                var scan = StoreScan(fields: fields, mostRows: .max, mostBytes: .max)
                scan.includesHashes = true
                scan.includesJudgements = true
                return try await repository.engine.scan(scan).text(fields: fields.count)
            },
            Verb("the log") { "\(try await $0.engine.changes(after: 0, limit: 10_000))" },
            Verb("statistics") { try await $0.statistics().text },
            Verb("schemas") { "\(try await $0.engine.head().schemas.map { [String($0.version), $0.fingerprint] })" },
            Verb("sessions and access tokens") { try await Self.sessionsAndAccessTokens(of: $0, at: time) },
            Verb("the history of each profile") { repository in
                var histories: [String] = []
                for id in Int64(1)...400 {
                    // Engines number changes in different ways.
                    histories += try await repository.history(ofID: id).map(\.textWithoutNumber)
                }
                return histories.joined(separator: "\n")
            },
            Verb("login rules") { "\(try await $0.engine.loginRules().haveJudgedPasswords)" },
        ]
    }

    // MARK: Profiles

    private mutating func register(_ username: String? = nil, at time: Timestamp) -> Verb {
        let rows = rows(username)
        let stamp = stamp("register", at: time)
        return Verb("register \(rows.name)") { repository in
            try await repository.engine.register(
                rows.rows(repository), judgedBy: rows.schema(repository), stamp
            ).text
        }
    }

    mutating func replace(_ username: String? = nil, at time: Timestamp) -> Verb {
        let username = username ?? self.username()
        let rows = rows(random.once(in: 2) ? username : nil)
        let isStale = random.once(in: 6)
        let stamp = stamp("replace", at: time)
        return Verb("replace \(username) with \(rows.name)") { repository in
            guard let stored = try await repository.profile(username: username) else { return "not there" }
            return try await repository.engine.replace(
                stored.asIf(isStale: isStale), with: rows.rows(repository), judgedBy: rows.schema(repository), stamp
            ).text
        }
    }

    mutating func remove(_ username: String? = nil, at time: Timestamp) -> Verb {
        let key: ProfileKey =
            username == nil && random.once(in: 4)
            ? .id(Int64.random(in: 1...30, using: &random)) : .username(username ?? self.username())
        let revision: Int64? = random.once(in: 4) ? Int64.random(in: 1...3, using: &random) : nil
        let stamp = stamp("remove", at: time)
        return Verb("remove \(key)") { repository in
            try await repository.engine.remove(key, expecting: revision, stamp).text
        }
    }

    private mutating func adopt(at time: Timestamp) -> Verb {
        let index = Int.random(in: 0..<Self.schemas.count, using: &random)
        let stamp = stamp("adopt", at: time)
        let expected = random.once(in: 3) ? Int.random(in: 1...4, using: &random) : nil
        return Verb("adopt schema \(index), expecting \(expected ?? 0)") { repository in
            let (inForce, version) = try await repository.engine.adopt(
                Self.schemas[index], expecting: expected, stamp)
            repository.keep(inForce)
            return "version \(version), in force \(inForce.version)"
        }
    }

    /// Renames fields, or puts an earlier version in force again.
    private mutating func changeNames() -> Verb {
        let known: [FieldName] = ["email", "note", "remark", "username", "login"]
        let swapped = random.once(in: 3)
        let old = known.randomElement(using: &random) ?? "note"
        let new = known.randomElement(using: &random) ?? "remark"
        let number = Int.random(in: 0...7, using: &random)
        let names = swapped && old != new ? [old: new, new: old] : [old: new]
        return Verb("rename \(old) and \(new), \(swapped), or adopt version \(number) again") { repository in
            let versions = try await repository.rules.versions()
            let version =
                number > 0 && number <= versions.count && swapped
                ? try await repository.rules.adopt(again: versions[number - 1])
                : try await repository.rules.rename(names)
            return "version \(version) \(repository.schema.openFields.map { "\($0.name) in \($0.column.text)" })"
        }
    }

    private mutating func removeMany(at time: Timestamp) -> Verb {
        let usernames = (0..<3).map { _ in username() }
        let stamp = stamp("remove many", at: time)
        return Verb("remove \(usernames)") { repository in
            var profiles: [Profile] = []
            for username in usernames {
                if let found = try await repository.profile(username: username) { profiles.append(found) }
            }
            return "\(try await repository.engine.apply(ConditionalWrites(removing: profiles), stamp))"
        }
    }

    private mutating func editMany() -> Verb {
        let (query, isPreview) = (query(), random.once(in: 4))
        let (field, value) = random.once(in: 2) ? ("email", email()) : ("note", note())
        let isRename = random.once(in: 4)
        return Verb("edit many \(query) \(field) \(value)") { repository in
            do throws(StoppedWrite<EditReport>) {
                let report = try await repository.edit(matching: query, isPreview: isPreview) { profile, draft in
                    draft[field] = value
                    if isRename { draft["username"] = profile.username + "a" }
                }
                return "\(report)"
            } catch {
                return "\(error.error) \(error.report)"
            }
        }
    }

    /// Merges two profiles, with each value of the one or the other, and perhaps after one of them has changed.
    private mutating func merge() -> Verb {
        let names = (username(), username())
        let chosen = ["username", "email", "note"].filter { _ in random.once(in: 2) }
        let (isStale, isOtherStale) = (random.once(in: 8), random.once(in: 8))
        return Verb("merge \(names.0) into \(names.1) with its \(chosen)") { repository in
            guard let removed = try await repository.profile(username: names.0),
                let kept = try await repository.profile(username: names.1)
            else { return "not there" }
            var draft = kept.draft
            for field in chosen { draft[field] = removed.draft[field] }
            return try await repository.merge(
                removed.asIf(isStale: isStale), into: kept.asIf(isStale: isOtherStale), with: draft
            ).text
        }
    }

    // MARK: Undo

    /// Undoes or redoes the newest change, or undoes any other one.
    private mutating func undo() -> Verb {
        let which = Int.random(in: 0..<12, using: &random)
        let (isForced, isPreview) = (random.once(in: 3), random.once(in: 5))
        return Verb("undo \(which) \(isForced) \(isPreview)") { repository in
            let change =
                switch which {
                case 0...4: try await repository.changeToUndo()
                case 5...7: try await repository.changeToRedo()
                default: try await repository.historyChanges(limit: which).last
                }
            guard let change else { return "nothing" }
            do throws(StoppedWrite<UndoReport>) {
                let report = try await repository.undo(
                    change, overridingLaterChanges: isForced, isPreview: isPreview)
                // Engines number changes in different ways, and record the updated profiles of an import before or after
                // the new ones.
                let left = report.left.sorted { $0.profileID < $1.profileID }
                return """
                    \(report.removed) \(report.reverted) \(report.restored) \(report.needReset) \(report.keptSecrets)
                    \(report.unchanged) \(report.leftCount) \(left)
                    """
            } catch {
                return "\(error.error) \(error.report.changedCount)"
            }
        }
    }

    // MARK: Writes that may be repeated

    /// Returns a stamp that sometimes has a key, which another write may have used already.
    private mutating func stamp(_ verb: String, at time: Timestamp) -> WriteStamp {
        let author = random.once(in: 2) ? Author(username()) : nil
        return WriteStamp(at: time, by: author, random.once(in: 3) ? request(verb) : nil)
    }

    private mutating func request(_ verb: String) -> KeyedRequest? {
        KeyedRequest(
            WriteKey("key-\(Int.random(in: 0..<6, using: &random))"), verb, [random.once(in: 8) ? "else" : nil])
    }

    private mutating func outcome(at time: Timestamp) -> Verb {
        let verb = ["register", "replace", "remove", "adopt", "passcode"].randomElement(using: &random) ?? ""
        let (username, isStale) = (username(), random.once(in: 3))
        let days = random.once(in: 4) && keysExpire ? 1 : 0
        let later = Timestamp(millisecondsSince1970: time.millisecondsSince1970 + Int64(days) * 86_400_000)
        guard let request = request(verb) else { return Verb("nothing") { _ in "" } }
        let stamp = WriteStamp(at: later, request)
        let confirms = random.once(in: 4)
        return Verb("the outcome of \(request.key), \(confirms ? username : "-")") { repository in
            if confirms {
                guard let stored = try await repository.profile(username: username) else { return "not there" }
                return try await repository.engine.replace(
                    stored.asIf(isStale: isStale), with: nil, judgedBy: repository.schema, stamp
                ).text
            }
            return try await repository.engine.outcome(of: request, at: later)?.stored ?? "none"
        }
    }

    // MARK: Secrets

    private mutating func setPasscode(_ username: String? = nil, at time: Timestamp) -> Verb {
        let username = username ?? self.username()
        let stamp = stamp("passcode", at: time)
        let hash = hash()
        if random.once(in: 3) {
            return Verb("remove the passcode of \(username)") { repository in
                "\(try await repository.engine.change(.remove(of: username), stamp))"
            }
        }
        return Verb("set the passcode of \(username)") { repository in
            "\(try await repository.engine.change(.set(hash, of: username), stamp))"
        }
    }

    private mutating func replacePasscode(at time: Timestamp) -> Verb {
        let (id, old, new) = (id(), hash(), hash())
        let stamp = stamp("replace passcode", at: time)
        return Verb("replace the passcode of \(id)") { repository in
            "\(try await repository.engine.change(.replace(old, by: new, of: id), stamp))"
        }
    }

    /// Attempts before and after a change of the profile. The change may delete the failures of a name, or move them to
    /// another name, and the answers to the later attempts show which.
    private mutating func attemptsAroundChange(at time: Timestamp) -> Verb {
        let (username, kind) = (username(), kind())
        let change =
            switch Int.random(in: 0..<5, using: &random) {
            case 0: register(username, at: time)
            case 1: replace(username, at: time)
            case 2: remove(username, at: time)
            case 3: setPasscode(username, at: time)
            default: importing(username)
            }
        // One second after the last of seven attempts, whose delay is not over then.
        let later = Timestamp(millisecondsSince1970: time.millisecondsSince1970 + 121_000)
        let verbs =
            [attempts(at: kind, of: self.username(), time, 6), attempts(at: kind, of: username, time, 7), change]
            + ([username] + (0..<3).map { _ in self.username() }).map { attempts(at: kind, of: $0, later, 1) }
        return Verb(verbs.map(\.name).joined(separator: ", then ")) { repository in
            var outcomes: [String] = []
            for verb in verbs { outcomes.append(await verb.outcome(on: repository)) }
            return outcomes.joined(separator: "; ")
        }
    }

    private mutating func attempt(at time: Timestamp) -> Verb {
        let nobody = ["nobody", "noone", "none", "nil"].randomElement(using: &random) ?? ""
        return attempts(
            at: kind(), of: random.once(in: 2) ? username() : nobody, time, random.once(in: 2) ? 1 : 7)
    }

    private mutating func attempts(
        at kind: CredentialKind, of username: String, _ time: Timestamp, _ count: Int
    ) -> Verb {
        let outcome = Int.random(in: 0..<8, using: &random)
        let rehash = LoginAttempt.Rehash(old: hash(), new: hash())
        let session =
            kind == .password ? LoginAttempt.ProvenSession(newSession(at: time), hashes: [hash(), hash()]) : nil
        return Verb("\(count) attempts at \(kind) of \(username), \(outcome)") { repository in
            let engine = repository.engine
            if outcome == 7 {
                try await engine.unlock(username)
                return "unlocked"
            }
            let stored = try await engine.credential(kind, of: username)
            var answers: [String] = []
            for number in 0..<count {
                // Each attempt comes after the delay of the one before, so that the delays grow.
                let time = Timestamp(millisecondsSince1970: time.millisecondsSince1970 + 20_000 * Int64(number))
                let attempt = LoginAttempt(username: username, kind: kind, isKnown: stored != nil, time: time)
                answers.append("\(try await engine.admit(attempt))")
                switch (outcome, stored) {
                case (0, let stored?):
                    let success = try await engine.settle(
                        attempt,
                        .right(profileID: stored.profileID, rehash: rehash, session: number == 0 ? session : nil))
                    answers.append(success?.profile.text ?? "no profile")
                    answers.append(success?.session.map { "\($0)" } ?? "no session")
                    answers.append(success?.device.map { "\($0)" } ?? "no device")
                case (1, _): _ = try await engine.settle(attempt, .notMade)
                default: _ = try await engine.settle(attempt, .wrong)
                }
            }
            return "\(answers), \(stored?.hash?.text ?? "no hash")"
        }
    }

    // MARK: Judging again

    private mutating func mark() -> Verb {
        let issues = [ReportedIssue(field: "note", code: "too_short", message: "Too short")].stored
        let marks = (0..<3).map { _ in
            JudgementMark(
                id: id(), revision: Int64.random(in: 1...3, using: &random),
                issues: random.once(in: 2) ? issues : nil)
        }
        let version = Int.random(in: 1...6, using: &random)
        return Verb("mark") { repository in
            // Only another program can store a version that was never adopted, so the version is limited to the one in
            // force.
            try await repository.engine.mark(marks, judgedBy: min(version, repository.rules.inForce.number))
            let rules = repository.adoptedSchema
            let marked = try await repository.engine.page(ProfileSearch(status: .invalid), under: rules).profiles
            let judged = try await repository.engine.count(
                ProfileSearch(status: .judged(by: [version, 1])), under: rules)
            let others = try await repository.engine.count(
                ProfileSearch(status: .hasPassword(setUnderOthersThan: [version, 2])), under: rules)
            return "\(marked.map { ($0.id, $0.username, $0.issues) }) \(judged) \(others)"
        }
    }

    // MARK: The history

    private mutating func history() -> Verb {
        let (name, id, seconds) = (username(), id(), Int64.random(in: 1...30, using: &random))
        // PostgreSQL removes expired entries now and then, so they may not come back.
        let days: Int64? = random.once(in: 6) ? (random.once(in: 2) && keysExpire ? 0 : 90) : nil
        return Verb("history of \(name) and \(id), kept for \(days ?? -1) days") { repository in
            if let days { try await repository.keepHistory(for: .seconds(days * 86_400)) }
            let time = repository.options.now().advanced(by: .seconds(-seconds))
            let past = try? await repository.profile(name, at: time)
            let entries = try await repository.history(of: name)?.map(\.textWithoutNumber)
            let others = try await repository.history(ofID: id).map(\.textWithoutNumber)
            let counts = try await repository.historyChanges().map { [$0.added, $0.updated, $0.removed] }
            return
                "\(entries ?? []) \(others) \(past.map { "\($0.revision) \($0.values.sorted { $0.key < $1.key })" } ?? "") "
                + "\(counts.map(\.description).sorted())"
        }
    }

    private mutating func erase(at time: Timestamp) -> Verb {
        let (id, stamp) = (id(), stamp("erase", at: time))
        return Verb("erase \(id)") { repository in
            "\(try await repository.engine.erase(id, WriteStamp(at: stamp.time, by: stamp.author)))"
        }
    }

    // MARK: Reads

    private mutating func changes() -> Verb {
        let (number, limit) = (Int64.random(in: 0...60, using: &random), Int.random(in: 1...40, using: &random))
        return Verb("changes after \(number)") { repository in
            let newest = try await repository.changes.latestNumber
            let recent = try await repository.changes.page(after: newest - number, limit: limit)
            return "\(newest) \(recent) \(try await repository.changes.page(after: number, limit: limit))"
        }
    }

    private mutating func page() -> Verb {
        let query = query()
        let mostBytes = random.once(in: 2) ? .max : Int.random(in: 1...60, using: &random)
        return Verb("page \(query)") { repository in
            let page = try await repository.page(of: query, endingAfter: mostBytes)
            return "\(page.profiles.map(\.text)) \(page.next.map(\.description) ?? "the end")"
        }
    }

    private mutating func count() -> Verb {
        let query = query()
        return Verb("count \(query)") { "\(try await $0.count(query))" }
    }

    private mutating func query() -> ProfileQuery {
        var query = ProfileQuery(limit: Int.random(in: 1...8, using: &random))
        for _ in 0..<Int.random(in: 0...2, using: &random) {
            let field = field()
            let value = [username(), email(), note(), "a", "NN", "CAF\u{C9}", "5"].randomElement(using: &random) ?? ""
            let comparisons: [ProfileQuery.Comparison] = [
                .equals(value), .differs(from: value), .hasPrefix(String(value.prefix(2))), .contains(value),
                .isLess(than: value), .isAtMost(value), .isGreater(than: value), .isAtLeast(value),
                .isAny(of: [value, email()]), .isAny(of: []), .isAbsent, .isPresent,
            ]
            query.conditions.append(.init(field, comparisons.randomElement(using: &random) ?? .isPresent))
        }
        if random.once(in: 4) { query.text = ["ann", "e", "B.C", "zoe", "\u{E9}@"].randomElement(using: &random) }
        query.status = random.once(in: 4) ? .invalid : random.once(in: 4) ? .unjudged : nil
        query.isReversed = random.once(in: 3)
        query.joinsByOr = random.once(in: 4)
        if random.once(in: 2) {
            query.order = .fields(
                (0..<(random.once(in: 2) ? 1 : Int.random(in: 2...3, using: &random))).map { _ in
                    ProfileQuery.SortField(field(), isDescending: random.once(in: 2))
                })
        }
        if random.once(in: 6) { query.order = .relevance }
        if random.once(in: 3) {
            let value = [nil, email(), note(), username()].randomElement(using: &random) ?? nil
            let isOfOther = random.once(in: 8)
            let place = value.flatMap { $0.isEmpty ? nil : Array($0.utf8) }
            let order = isOfOther ? nil : query.order
            query.after =
                switch order {
                case nil: ProfileCursor(id: id())
                case .fields(let fields):
                    ProfileCursor(id: id(), order: order, values: fields.map { _ in random.once(in: 4) ? nil : place })
                case .relevance: ProfileCursor(id: id(), order: order, value: [UInt8.random(in: 1...4, using: &random)])
                }
        }
        return query
    }

    /// Returns a field that most of the schemas have.
    private mutating func field() -> FieldName {
        ["username", "email", "note"].randomElement(using: &random).flatMap(FieldName.init) ?? .username
    }

    private mutating func scan() -> Verb {
        let (after, version) = (id(), Int.random(in: 1...3, using: &random))
        let bytes = Int.random(in: 1...100, using: &random)
        return Verb("scan after \(after)") { repository in
            let fields = repository.schema.fields
            var scan = StoreScan(fields: fields, besides: [version], mostRows: 5, mostBytes: bytes)
            scan.after = after
            return try await repository.engine.scan(scan).text(fields: fields.count)
        }
    }

    private mutating func look() -> Verb {
        let names = [username(), username()]
        let id = id()
        return Verb("look for \(names) and \(id)") { repository in
            let engine = repository.engine
            return """
                \(try await engine.areStored(names)) \(try await engine.isEmpty())
                \(try await engine.loginRules().haveJudgedPasswords) \(try await repository.statistics().text)
                \(try await repository.profile(id: id)?.text ?? "none")
                """
        }
    }

    // MARK: Many at once

    private mutating func importing(_ username: String? = nil) -> Verb {
        var options = ImportOptions()
        options.duplicates = ImportOptions.DuplicatePolicy.allCases.randomElement(using: &random) ?? .reject
        options.isDryRun = random.once(in: 5)
        options.isExclusive = random.once(in: 4)
        options.isAllOrNothing = random.once(in: 4)
        options.ignoresUnknownColumns = true
        var text = "username,email,note,password_hash\n"
        for _ in 0..<Int.random(in: 0...12, using: &random) {
            text += "\(username ?? self.username()),\(random.once(in: 3) ? "" : email()),\(note()),"
            text += random.once(in: 2) ? "\n" : "\"\(hash().text)\"\n"
        }
        return Verb("import \(options)\n\(text)") { [options, text] repository in
            let folder = try TemporaryFolder()
            let path = folder.path + "/people.csv"
            try SmallFile.write(text, to: path)
            let descriptor = open(path, O_RDONLY | O_CLOEXEC)
            defer { close(descriptor) }
            let report = try await ProfileImporter(repository: repository, options: options).run(
                ImportInput(descriptor: descriptor, name: "people.csv", byteCount: nil))
            let counts = [report.rows, report.imported, report.updated, report.skipped, report.rejected]
            return "\(counts) \(report.issues.total) \(report.issues.listed) \(report.earlyEnd?.rawValue ?? "the end")"
        }
    }

    // MARK: Values

    /// The rows of one profile, and the rules that judged it.
    private struct JudgedRow: Sendable {
        let draft: ProfileDraft
        let hash: PasswordHash?
        let isJudged: Bool
        /// The schema that judges the row, if it is not the one in force.
        let otherSchema: ProfileSchema?
        let name: String

        func schema(_ repository: ProfileRepository) -> ProfileSchema { otherSchema ?? repository.schema }

        func rows(_ repository: ProfileRepository) throws -> ValidProfiles {
            let schema = schema(repository)
            var rows = try ProfileValidator(schema).validate(draft, on: repository.today).rows
            if let hash, let field = schema.index(of: .password) {
                rows.setHash(hash, isJudged: isJudged, row: 0, field: field)
            }
            return rows
        }
    }

    private mutating func rows(_ username: String? = nil) -> JudgedRow {
        var draft = ProfileDraft(["username": username ?? self.username()])
        if !random.once(in: 3) { draft["email"] = email() }
        if random.once(in: 2) { draft["note"] = note() }
        let hash = random.once(in: 2) ? hash() : nil
        return JudgedRow(
            draft: draft, hash: hash, isJudged: random.once(in: 2),
            otherSchema: random.once(in: 8) ? Self.schemas.randomElement(using: &random) : nil,
            name: "\(draft["username"] ?? "") \(draft["email"] ?? "") \(draft["note"] ?? "")")
    }

    mutating func username() -> String { Self.usernames.randomElement(using: &random) ?? "" }

    private mutating func email() -> String { Self.emails.randomElement(using: &random) ?? "" }

    private mutating func note() -> String { ["", "a", "long", "longer"].randomElement(using: &random) ?? "" }

    private mutating func kind() -> CredentialKind { random.once(in: 2) ? .password : .passcode }

    mutating func id() -> Int64 { Int64.random(in: 0...30, using: &random) }

    mutating func hash() -> PasswordHash {
        Self.hashes[Int.random(in: 0..<Self.hashes.count, using: &random)]
    }

    /// Some names differ only in case. Others are equal as `String`s, although their bytes differ.
    private static let usernames = [
        "anna", "Anna", "ANNA", "annabel", "bert", "Bert", "carl", "dora", "zo\u{EB}", "zoe\u{308}", "ZO\u{CB}", "emil",
        "fritz", "gerd",
    ]
    private static let emails = ["a@b.c", "A@b.c", "a@b.cc", "caf\u{E9}@x", "cafe\u{301}@x", "d@e.f", "g@h.i"]

    // These literals are known to be valid hashes, so `try!` does not fail.
    // swift-format-ignore: NeverUseForceTry
    private static let hashes = [People.policyHash, People.weakHash, People.bcryptHash].map {
        try! PasswordHash(parsing: $0.utf8.span)
    }

    /// The first schema accepts the most. The others have a unique field, a minimum length of notes, a stricter rule
    /// for passwords, or no email.
    // swift-format-ignore: NeverUseForceTry
    static let schemas = [
        [#"{"name":"email"}"#, #"{"name":"note"}"#, password(6)],
        [#"{"name":"email","constraints":{"unique":true}}"#, #"{"name":"note"}"#, password(6)],
        [#"{"name":"email"}"#, #"{"name":"note","constraints":{"minLength":3}}"#, password(6)],
        [#"{"name":"email","constraints":{"unique":true}}"#, #"{"name":"note"}"#, password(8)],
        [#"{"name":"note","constraints":{"unique":true}}"#, password(6)],
    ].map { fields in
        try! ProfileSchema(
            parsing: """
                {"name": "people", "fields": [
                  {"name": "username", "constraints": {"required": true, "unique": true}},
                  \(fields.joined(separator: ",\n"))
                ]}
                """)
    }

    private static func password(_ least: Int) -> String {
        #"{"name":"password","constraints":{"minLength":\#(least)},"profiles":{"secret":true}}"#
    }
}

// Descriptions of results. Equal results have equal descriptions, so these contain no times measured by the system's
// clock. They also lack schemas, which are long.

extension Profile {
    var text: String {
        "\(id).\(revision) \(createdAt) \(updatedAt) \(schemaVersion) \(issues) \(hasPassword) "
            + "\(values.map { $0.bytes })"
    }
}

extension Profile {
    /// The profile as a caller has read it. A stale profile has the revision before the last edit.
    fileprivate func asIf(isStale: Bool) -> Profile {
        Profile(
            id: id, revision: revision - (isStale ? 1 : 0), createdAt: createdAt, updatedAt: updatedAt,
            schemaVersion: schemaVersion, issues: issues, hasPassword: hasPassword, schema: schema, values: values)
    }
}

extension StoredRows {
    fileprivate func text(fields: Int) -> String {
        rows.indices.map { row in
            let known = rows[row]
            let cells = (0..<fields).map { isAbsent(row, $0) ? "-" : String(cell(row, $0)).bytes }
            let hash = known.hash.map { String($0.bytes) } ?? "-"
            let judgement = known.judgement.map {
                "\($0.revision) \($0.schemaVersion) \($0.hasPassword) \($0.issues ?? "-")"
            }
            return "\(known.id) \(judgement ?? "-") \(hash) \(cells)"
        }.joined(separator: "\n")
    }
}

extension StoreStatistics {
    fileprivate var text: String {
        "\(profiles) \(invalid) \(withPassword) \(withPasscode) \(schemaVersion) \(changeNumber)"
    }
}

extension RevalidationReport {
    fileprivate var text: String {
        "\(checked) \(valid) \(invalid) \(skipped) \(credentialsPredating) \(issues.total) \(issues.listed)"
    }
}

extension String {
    /// The text with its non-ASCII bytes as numbers, because letters with different bytes can look alike.
    fileprivate var bytes: String { utf8.map { $0 < 0x80 ? String(UnicodeScalar($0)) : "\\\($0)" }.joined() }
}

extension String? {
    fileprivate var bytes: String { self?.bytes ?? "-" }
}

extension HistoryEntry {
    fileprivate var textWithoutNumber: String {
        "\(kind) \(profileIDs) \(revision ?? 0) \(changedAt) \(author ?? "-") \(values) \(setsPassword)"
    }
}
