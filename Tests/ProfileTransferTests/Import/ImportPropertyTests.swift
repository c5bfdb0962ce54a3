import ProfileCore
import ProfileStore
import ProfileTesting
import ProfileTransfer
import StoreFixtures
import Testing
import Watchdog

/// A simple model of an import: dictionaries that take one row after the other.
private struct ClubModel: Equatable {
    struct Member: Equatable {
        var username: String
        var email: String?
        var level: String?
        var note: String?
        var revision: Int64 = 1

        subscript(column: String) -> String? {
            get {
                switch column {
                case "username": username
                case "email": email
                case "level": level
                default: note
                }
            }
            set {
                switch column {
                case "username": username = newValue ?? ""
                case "email": email = newValue
                case "level": level = newValue
                default: note = newValue
                }
            }
        }

        var isValid: Bool {
            (2...10).contains(username.count) && level.flatMap(Int.init).map { (1...9).contains($0) } ?? false
                && (note?.count ?? 0) <= 5
        }
    }

    /// By folded username.
    var members: [String: Member] = [:]
    /// imported, updated, skipped, rejected
    var outcomes = [0, 0, 0, 0]

    mutating func take(
        _ rows: [[String]], columns: [String], _ policy: ImportOptions.DuplicatePolicy
    ) {
        var names: Set<String> = []
        var emails: Set<String> = []
        for row in rows {
            let cells = zip(columns, row).map { ($0, $1.isEmpty ? nil : $1) }
            guard cells.count == columns.count, row.count == columns.count else {
                outcomes[3] += 1
                continue
            }
            var own = Member(username: "")
            for (column, cell) in cells { own[column] = cell }
            let key = own.username.lowercased()
            let stored = members[key]
            let owner = own.email.flatMap { email in members.first { $0.value.email == email }?.key }

            func remember(_ member: Member) {
                names.insert(key)
                if let email = member.email { emails.insert(email) }
            }
            if names.contains(key) || own.email.map(emails.contains) ?? false {
                outcomes[3] += 1
            } else if own.isValid, stored == nil, owner == nil {
                members[key] = own
                outcomes[0] += 1
                remember(own)
            } else if own.isValid, stored != nil, policy == .skip {
                outcomes[2] += 1
                remember(own)
            } else if var merged = stored, policy == .update, own.isValid || !own.username.isEmpty {
                for (column, cell) in cells { merged[column] = cell }
                if !merged.isValid || (owner != nil && owner != key) {
                    outcomes[3] += 1
                } else if merged == stored {
                    outcomes[2] += 1
                    remember(merged)
                } else {
                    merged.revision += 1
                    members[key] = merged
                    outcomes[1] += 1
                    remember(merged)
                }
            } else {
                outcomes[3] += 1
            }
        }
    }
}

@Suite(.watched) struct ImportPropertyTests {
    @Test(
        "I4, I5, I6: an import does what a plain model does, and a dry run predicts it",
        arguments: ImportOptions.DuplicatePolicy.allCases)
    func model(policy: ImportOptions.DuplicatePolicy) async throws {
        for round in 0..<(runsLongImportTests ? 400 : 25) {
            let seed = UInt64(round) * 3 + UInt64(policy.rawValue.utf8.count) * 1_000
            var random = SeededGenerator(seed: seed)
            let folder = try ImportFolder()
            let repository = try await folder.store(schema: schemaOfClub())
            var model = ClubModel()
            // The first file goes in bulk, the others row by row beside what is stored.
            for file in 0..<3 {
                let columns = Self.columns(mayLackLevel: policy == .update, using: &random)
                let rows = (0..<Int.random(in: 0...40, using: &random)).map { _ in
                    Self.row(columns, using: &random)
                }
                let text = ([columns] + rows).map { $0.joined(separator: ",") + "\n" }.joined()
                let isExclusive = Bool.random(using: &random)
                let isNDJSON =
                    Int.random(in: 0..<3, using: &random) == 0 && rows.allSatisfy { $0.count == columns.count }
                let input = isNDJSON ? Self.lines(columns, rows) : text
                let change: (inout ImportOptions) -> Void = {
                    $0.duplicates = policy
                    $0.isExclusive = isExclusive
                    if isNDJSON { $0.format = .json }
                }
                let before = try await repository.statistics()
                let dry = try await repository.importing(input) {
                    change(&$0)
                    $0.isDryRun = true
                }
                #expect(try await repository.statistics() == before)
                let real = try await repository.importing(input, change)

                model.outcomes = [0, 0, 0, 0]
                model.take(rows, columns: columns, policy)
                let place: Comment = "seed \(seed), file \(file), \(real.lines):\n\(input)"
                #expect(real.rows == rows.count, place)
                #expect(real.rows == real.outcomes.reduce(0, +), place)
                #expect(real.outcomes == model.outcomes, place)
                #expect(dry.outcomes == real.outcomes, place)
                #expect(dry.issues == real.issues, place)
                let stored = try await repository.profiles(ProfileQuery(limit: 1_000)).profiles.map { profile in
                    ClubModel.Member(
                        username: profile.username, email: profile["email"], level: profile["level"],
                        note: profile["note"], revision: profile.revision)
                }
                #expect(
                    stored.sorted { $0.username < $1.username }
                        == model.members.values.sorted { $0.username < $1.username }, place)
                if Issue.hasOccurred(real, dry, model) { return }
            }
            #expect(try await repository.isSound())
            await repository.close()
        }
    }

    /// Only an update may lack a required column.
    private static func columns(mayLackLevel: Bool, using random: inout SeededGenerator) -> [String] {
        let others = ["email", "level", "note"].filter {
            let isThere = $0 == "level" && Bool.random(using: &random) || Bool.random(using: &random)
            return isThere || ($0 == "level" && !mayLackLevel)
        }
        return (["username"] + others).shuffled(using: &random)
    }

    private static func row(_ columns: [String], using random: inout SeededGenerator) -> [String] {
        var row = columns.map { column in
            switch column {
            case "username":
                ["ann", "ANN", "bob", "Bob", "cid", "dan", "eve", "x", ""].randomElement(using: &random) ?? ""
            case "email": ["a@x", "b@x", "c@x", "d@x", "", ""].randomElement(using: &random) ?? ""
            case "level": ["1", "2", "3", "3", "12", ""].randomElement(using: &random) ?? ""
            default: ["p", "q", "", "toolong"].randomElement(using: &random) ?? ""
            }
        }
        if columns.count > 1, Int.random(in: 0..<25, using: &random) == 0 { row.removeLast() }
        // The import does not count an empty line as a record.
        if row.allSatisfy(\.isEmpty), row.count == 1 { row[0] = "x" }
        return row
    }

    private static func lines(_ columns: [String], _ rows: [[String]]) -> String {
        rows.map { row in
            let members = zip(columns, row).map { name, cell in
                "\"\(name)\":" + (cell.isEmpty ? "null" : Int(cell) != nil ? cell : "\"\(cell)\"")
            }
            return "{\(members.joined(separator: ","))}\n"
        }.joined()
    }
}

extension Issue {
    /// Whether the results differ. The test then ends, so that only the first such seed is reported.
    fileprivate static func hasOccurred(_ real: ImportReport, _ dry: ImportReport, _ model: ClubModel) -> Bool {
        real.outcomes != model.outcomes || dry.outcomes != real.outcomes || dry.issues != real.issues
    }
}
