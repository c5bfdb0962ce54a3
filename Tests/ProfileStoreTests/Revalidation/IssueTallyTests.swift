import ProfileStore
import ProfileTesting
import Testing
import Watchdog

/// Which of many issues a report lists (I8).
@Suite(.watched) struct IssueTallyTests {
    /// Counts issues of these kinds one after another. A listed issue is its position in `kinds`.
    private func tally(_ kinds: [Int], limit: Int) -> IssueTally<Int> {
        var tally = IssueTally<Int>(limit: limit)
        for (place, kind) in kinds.enumerated() where tally.count(field: "f\(kind)", code: "c") {
            tally.list(place, field: "f\(kind)", code: "c")
        }
        return tally
    }

    @Test func `I8: a kind that comes late gets its places from the most frequent one`() {
        let kinds = Array(repeating: 0, count: 100) + [1, 1, 1] + Array(repeating: 0, count: 100) + [2]
        #expect(tally(kinds, limit: 6).listed == [0, 1, 2, 100, 101, 203])
    }

    @Test func `I8: a full list has the first issues of each kind, and spreads its places over the kinds`() {
        var random = SeededGenerator(seed: 41)
        for _ in 0..<(Length.isLong ? 2_000 : 200) {
            let kindCount = Int.random(in: 1...6, using: &random)
            let kinds = (0..<Int.random(in: 0...80, using: &random)).map { _ in
                // The first kinds are more frequent.
                min(Int.random(in: 0..<kindCount, using: &random), Int.random(in: 0..<kindCount, using: &random))
            }
            let limit = Int.random(in: 0...30, using: &random)
            let tally = tally(kinds, limit: limit)
            #expect(tally.total == kinds.count)
            #expect(tally.listed == tally.listed.sorted())
            #expect(tally.listed.count == min(limit, kinds.count))
            #expect(tally.isTruncated == (kinds.count > limit))
            var shares: [(listed: Int, all: Int)] = []
            for kind in Set(kinds) {
                let all = kinds.indices.filter { kinds[$0] == kind }
                let listed = tally.listed.filter { kinds[$0] == kind }
                #expect(listed == Array(all.prefix(listed.count)))
                #expect(tally.issueCounts.first { $0.field == "f\(kind)" }?.count == all.count)
                shares.append((listed.count, all.count))
            }
            // If a kind has at least two places fewer than another one, all its issues are listed.
            for one in shares {
                for other in shares where one.listed + 1 < other.listed { #expect(one.listed == one.all) }
            }
        }
    }
}
