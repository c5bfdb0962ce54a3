internal import ProfileCore
internal import ProfileStore
internal import TerminalUI
internal import TextLayout
internal import Threads

/// Two profiles that may be duplicates of each other.
struct PairToMerge: Sendable {
    let first: Profile
    let second: Profile

    /// A merge that was made.
    struct Merged: Sendable {
        let removed: Profile
        /// The kept profile with its new values.
        let kept: Profile
        /// The number of the change. Nil if the store keeps no history.
        let change: Int64?
    }

    /// The rows of the screen: which profile is kept, and then all fields that have a value.
    var fields: [FieldConflict] {
        let identity = FieldConflict(
            field: Self.identity, title: "Kept profile", before: nil, theirs: second.identity,
            yours: first.identity)
        // A key that is computed from other fields is left out, because it changes with them.
        let hasComputedKey = !first.schema.keyParts.isEmpty
        let fields = zip(first.fields, second.fields).filter { field, _ in
            !(hasComputedKey && field.rules.isPrimaryKey)
        }
        return [identity]
            + fields.compactMap { first, second in
                let rules = first.rules
                guard first.value != nil || second.value != nil else { return nil }
                func shown(_ text: String?) -> String { text.map(rules.shownForm(of:)) ?? "" }
                return FieldConflict(
                    field: rules.name, title: rules.title, before: nil, theirs: shown(second.value),
                    yours: shown(first.value))
            }
    }

    /// The pseudo-field that says which profile is kept. No field of a schema has this name.
    private static let identity = ProfileFact.id.rules?.name ?? .username

    /// Reads both profiles.
    ///
    /// - Returns: Nil if one of them does not exist any more.
    init?(_ firstID: Int64, _ secondID: Int64, in repository: ProfileRepository) async throws(ProfileStoreError) {
        guard let first = try await repository.profile(id: firstID),
            let second = try await repository.profile(id: secondID)
        else { return nil }
        // Other rules may have come into force between the two reads.
        guard first.schema == second.schema else { throw .schemaChanged(version: second.schemaVersion) }
        // The first profile is the default choice. If only one profile has a password, this profile comes first.
        let isSecondUsual = second.hasPassword && !first.hasPassword
        self.first = isSecondUsual ? second : first
        self.second = isSecondUsual ? first : second
    }

    /// Merges the profiles.
    ///
    /// - Parameters:
    ///   - fields: The fields in which the value of the second profile was chosen.
    ///   - repository: The store.
    /// - Returns: The merge.
    /// - Throws: The errors of ``/ProfileStore/ProfileRepository/merge(_:into:with:by:)``.
    func merge(
        takingFromSecond fields: Set<FieldName>, in repository: ProfileRepository
    ) async throws(ProfileStoreError) -> Merged {
        let keepsSecond = fields.contains(Self.identity)
        let (kept, removed) = keepsSecond ? (second, first) : (first, second)
        var draft = kept.draft
        for field in self.fields.map(\.field) where field != Self.identity && fields.contains(field) != keepsSecond {
            draft[field] = removed.draft[field]
        }
        let merged = try await repository.merge(removed, into: kept, with: draft)
        let entries = try? await repository.history(ofID: merged.id)
        return Merged(
            removed: removed, kept: merged, change: entries?.first { $0.revision == merged.revision }?.change)
    }
}

extension Profile {
    /// The name, and the facts that help to decide which of two profiles is kept.
    fileprivate var identity: String {
        let password = schema.hasPassword ? ", has \(hasPassword ? "a" : "no") password" : ""
        return "\(username) (id \(id)\(password))"
    }
}

extension PairToMerge.Merged {
    /// The result as a line of text.
    var text: String {
        "\(removed.username) (id \(removed.id)) was merged into \(kept.username) (id \(kept.id))"
            + (change.map { "; \"profiles undo \($0)\" reverts it." } ?? ".")
    }

    var json: JSONValue {
        [
            "kept_id": .number(kept.id), "kept": .string(kept.username), "revision": .number(kept.revision),
            "removed_id": .number(removed.id), "removed": .string(removed.username),
            "change": change.map { .number($0) } ?? .null,
        ]
    }
}

/// The user stops merging.
struct MergingEnded: Error {}

/// A screen on which the user merges two profiles.
struct MergeForm {
    let repository: ProfileRepository
    let pair: PairToMerge
    let session: ScreenSession

    /// Shows the profiles until they are merged.
    ///
    /// - Returns: Nil if one of the profiles does not exist any more.
    /// - Throws: ``RowLeft`` if the user skips the profiles, ``MergingEnded`` if the user stops.
    func run() async throws -> PairToMerge.Merged? {
        let latest = Locked(pair)
        return try await session.run(
            MergeScreen(pair.shown), unfinished: CommandFailure.notMerged, whenLeft: { MergingEnded() }
        ) { request in
            let pair = latest.withLock { $0 }
            do throws(ProfileStoreError) {
                return .done(try await pair.merge(takingFromSecond: request.fieldsOfSecond, in: repository))
            } catch {
                guard error.code != .cancelled, error.code != .closed else { throw error }
                guard error.isOfOldValues else { return .reply(.refused(error.mergeText(repository.schema))) }
                guard let again = try await PairToMerge(pair.first.id, pair.second.id, in: repository) else {
                    return .done(nil)
                }
                latest.withLock { $0 = again }
                return .reply(.changedMeanwhile(again.shown, error.mergeText(repository.schema)))
            }
        }
    }
}

/// Asks line by line how two profiles are merged, without control codes.
struct PlainMerge {
    let repository: ProfileRepository
    var pair: PairToMerge

    /// Asks until the profiles are merged.
    ///
    /// - Returns: Nil if one of the profiles does not exist any more.
    /// - Throws: ``RowLeft`` if the user skips the profiles, ``MergingEnded`` if the user stops.
    mutating func run() async throws -> PairToMerge.Merged? {
        while true {
            try offer()
            let chosen = try choose()
            do throws(ProfileStoreError) {
                return try await pair.merge(takingFromSecond: chosen, in: repository)
            } catch {
                guard error.isOfOldValues || error.issues != nil else { throw error }
                for line in error.mergeText(repository.schema).split(separator: "\n") { Self.say(String(line)) }
                let (first, second) = (pair.first.id, pair.second.id)
                guard let again = try await PairToMerge(first, second, in: repository) else { return nil }
                pair = again
            }
        }
    }

    private func offer() throws {
        Self.say("1 is \(pair.first.username), and 2 is \(pair.second.username):")
        for field in pair.fields {
            Self.say("  \(field.title): " + (field.isContested ? field.choices : field.yours))
        }
        while true {
            switch try LinePrompt.ask("Merge them? [y/N/q]").lowercased() {
            case "y", "yes": return
            case "n", "no", "": throw RowLeft.forLater
            case "q", "quit": throw MergingEnded()
            default: Self.say("Answer y to merge them, n to skip them, or q to stop.")
            }
        }
    }

    /// Asks for each field that differs.
    ///
    /// - Returns: The fields in which the value of the second profile was chosen.
    private func choose() throws -> Set<FieldName> {
        var chosen: Set<FieldName> = []
        for field in pair.fields where field.isContested {
            // If only one profile has a value, this value is usually right.
            let usual = field.yours.isEmpty ? "2" : "1"
            var answer = ""
            repeat {
                answer = try LinePrompt.ask("\(field.title): \(field.choices)? [1/2, empty for \(usual)]")
                if answer.isEmpty { answer = usual }
                if answer.lowercased() == "q" { throw MergingEnded() }
                if answer != "1", answer != "2" { Self.say("Answer 1 or 2, or q to stop.") }
            } while answer != "1" && answer != "2"
            if answer == "2" { chosen.insert(field.field) }
        }
        return chosen
    }

    private static func say(_ text: String) { Output.error.note(text.visible) }
}

extension FieldConflict {
    /// Both values, for a line of text.
    fileprivate var choices: String {
        "1 \(yours.isEmpty ? "(empty)" : yours), 2 \(theirs.isEmpty ? "(empty)" : theirs)"
    }
}

extension PairToMerge {
    fileprivate var shown: MergeScreen.Pair {
        MergeScreen.Pair(names: (first.username, second.username), fields: fields)
    }
}

extension ProfileStoreError {
    /// Whether the merge failed because a profile or the schema has changed since the profiles were read.
    fileprivate var isOfOldValues: Bool { [.staleRevision, .notFound, .schemaChanged].contains(code) }

    /// The reason why two profiles were not merged.
    fileprivate func mergeText(_ schema: ProfileSchema) -> String {
        if isOfOldValues { return "One of the two profiles has changed meanwhile. Nothing was merged: choose again." }
        guard code == .invalid, let issues else { return CommandFailure(self).lines.joined(separator: "\n") }
        return (["The merged profile would be invalid:"] + issues.map(schema.message(for:))).joined(separator: "\n")
    }
}

extension CommandFailure {
    /// The message for a user who leaves two profiles as they are.
    static let notMerged = "The two profiles that were shown are as they were."
}
