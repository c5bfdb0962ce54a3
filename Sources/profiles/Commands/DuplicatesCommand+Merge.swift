internal import ProfileCore
internal import ProfileStore
internal import ProfileTransfer
internal import TextLayout

// Merging the profiles that were found.
extension DuplicatesCommand {
    func merge(_ duplicates: ProfileDuplicates, _ asking: Asking, in repository: ProfileRepository) async throws {
        var merging = Merging(repository, asking)
        do {
            try await ScreenSession.keepingTerminal { screens in
                try await merging.run(duplicates, limit: limit, screens)
            }
        } catch is MergingEnded {
        } catch {
            // The completed merges are shown even if an error or the user has ended the command.
            try show(merging)
            throw error
        }
        try show(merging)
    }

    private func show(_ merging: Merging) throws {
        switch global.format {
        case .json:
            try Output.standard.print([
                "merged": .array(merging.merged.map(\.json)), "skipped": .number(merging.skipped),
            ])
        case .text:
            if !global.quiet {
                for merged in merging.merged { try Output.standard.print(merged.text.visible) }
            }
            if merging.skipped > 0 {
                global.note("\(merging.skipped) pair\(merging.skipped == 1 ? "" : "s") skipped.")
            } else if merging.isNothingFound {
                global.note("There are no profiles to merge.")
            }
        }
    }
}

/// Asks the user to merge the profiles of groups and pairs, two at a time.
private struct Merging {
    private(set) var merged: [PairToMerge.Merged] = []
    /// The number of skipped pairs.
    private(set) var skipped = 0
    private let repository: ProfileRepository
    private let asking: Asking
    /// For each removed profile, the id of the profile that was kept.
    private var kept: [Int64: Int64] = [:]
    /// The pairs that were offered, each with the smaller id first.
    private var offered: Set<[Int64]> = []

    init(_ repository: ProfileRepository, _ asking: Asking) {
        self.repository = repository
        self.asking = asking
    }

    var isNothingFound: Bool { offered.isEmpty }

    mutating func run(_ duplicates: ProfileDuplicates, limit: Int?, _ screens: ScreenSession) async throws {
        var count = 0
        while count < limit ?? .max, let group = try duplicates.nextGroup() {
            count += 1
            try await offer(group.members.map(\.id), screens)
        }
        count = 0
        while count < limit ?? .max, let pair = try duplicates.nextPair() {
            count += 1
            try await offer([pair.first.id, pair.second.id], screens)
        }
    }

    /// Offers each profile of a group together with the first profile. The profiles that were not merged are then
    /// offered in the same way.
    private mutating func offer(_ ids: [Int64], _ screens: ScreenSession) async throws {
        var rest = ids
        while let first = rest.first {
            rest.removeFirst()
            var left: [Int64] = []
            for id in rest where try await !isMerged(first, id, screens) { left.append(id) }
            rest = left
        }
    }

    /// Offers two profiles. If an earlier merge removed one of them, the profile that was kept takes its place.
    ///
    /// - Returns: Whether the two are one profile now.
    private mutating func isMerged(_ first: Int64, _ second: Int64, _ screens: ScreenSession) async throws -> Bool {
        let (first, second) = (present(first), present(second))
        guard first != second else { return true }
        guard offered.insert([min(first, second), max(first, second)]).inserted,
            let pair = try await PairToMerge(first, second, in: repository)
        else { return false }
        do {
            guard let result = try await ask(pair, screens) else { return false }
            merged.append(result)
            kept[result.removed.id] = result.kept.id
            return true
        } catch RowLeft.forLater {
            skipped += 1
            return false
        }
    }

    private func ask(_ pair: PairToMerge, _ screens: ScreenSession) async throws -> PairToMerge.Merged? {
        switch asking {
        case .onScreen: return try await MergeForm(repository: repository, pair: pair, session: screens).run()
        case .byLine:
            var form = PlainMerge(repository: repository, pair: pair)
            return try await form.run()
        }
    }

    private func present(_ id: Int64) -> Int64 {
        var id = id
        while let next = kept[id] { id = next }
        return id
    }
}
