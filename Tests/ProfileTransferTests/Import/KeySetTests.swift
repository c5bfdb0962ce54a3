import ProfileTesting
import StoreFixtures
import Testing
import Watchdog

@testable import ProfileTransfer

@Suite(.watched) struct KeySetTests {
    @Test("I4: the set of the values of a file agrees with a dictionary", arguments: [true, false])
    func dictionary(foldsCase: Bool) {
        let seed: UInt64 = foldsCase ? 7 : 8
        var random = SeededGenerator(seed: seed)
        var set = KeySet(foldsCase: foldsCase)
        var lines: [String: Int] = [:]
        for line in 1...(runsLongImportTests ? 2_000_000 : 40_000) {
            let value = Self.value(using: &random)
            let key = foldsCase ? Self.folded(value) : value
            #expect(self.line(of: value, in: set) == lines[key], "seed \(seed), \(value)")
            #expect(set.insert(value, line: line) == lines[key], "seed \(seed), \(value)")
            if lines[key] == nil {
                if random.once(in: 8) { set.removeLast(value) } else { lines[key] = line }
            }
        }
        for (key, line) in lines where self.line(of: key, in: set) != line {
            Issue.record("seed \(seed): \(key) has another line than \(line)")
            return
        }
    }

    @Test("I4: the set agrees with a dictionary at every size", arguments: [true, false])
    func sizes(foldsCase: Bool) {
        var random = SeededGenerator(printingSeedOf: "I4: the set agrees with a dictionary at every size, \(foldsCase)")
        var set = KeySet(foldsCase: foldsCase)
        var lines: [String: Int] = [:]
        var added: [String] = []
        let lengths = foldsCase ? 7...10 : 9...12
        func newValue() -> String {
            let length = Int.random(in: lengths, using: &random)
            return (0..<length).map { _ in Self.packable.randomElement(using: &random) ?? "a" }.joined()
        }
        var nextCheck = 1
        while added.count < (runsLongImportTests ? 3_000_000 : 60_000) {
            let value = newValue()
            guard lines[value] == nil else { continue }
            // Three in four lines grow fast, and then need more than 24 bits.
            let line = added.count + (added.count % 4 == 0 ? 0 : added.count << 10)
            let isNew = set.insert(value, line: line) == nil
            // A repeated value between the insertion and the removal must not move any key.
            if let earlier = added.randomElement(using: &random) {
                #expect(set.insert(earlier, line: 0) == lines[earlier])
            }
            if random.once(in: 4) {
                set.removeLast(value)
                #expect(self.line(of: value, in: set) == nil)
                continue
            }
            #expect(isNew, "\(value), \(added.count) values")
            added.append(value)
            lines[value] = line
            guard added.count >= nextCheck else { continue }
            nextCheck = added.count + max(1, added.count / 20)
            let wrong = added.first { self.line(of: $0, in: set) != lines[$0] }
            #expect(wrong == nil, "\(added.count) values")
            let unknown = newValue()
            #expect(self.line(of: unknown, in: set) == lines[unknown], "\(unknown), \(added.count) values")
            guard wrong == nil else { return }
        }
    }

    @Test func `I4: short values of all lengths are different keys`() {
        let pairs = Self.packable.flatMap { first in Self.packable.map { first + $0 } }
        let values = Self.packable + pairs + pairs.flatMap { pair in Self.packable.map { pair + $0 } }
        var set = KeySet(foldsCase: true)
        for (line, value) in values.enumerated() { #expect(set.insert(value, line: line) == nil, "\(value)") }
        for (line, value) in values.enumerated() { #expect(self.line(of: value, in: set) == line, "\(value)") }
    }

    @Test func `I4: a value that fits into a packed key never equals one that does not`() {
        var set = KeySet(foldsCase: false)
        let values = [
            "a", "aa", "0", "00", "A", "aA", "abcdefghij", "abcdefghijk", "abcdefghi", "a b", "\u{E9}", "e\u{301}",
            "a\0",
            "zzzzzzzzzz", "9999999999", String(repeating: "a", count: 5_000), String(repeating: "a", count: 3 << 20),
        ]
        for (line, value) in values.enumerated() {
            #expect(self.line(of: value, in: set) == nil)
            set.insert(value, line: line)
        }
        for (line, value) in values.enumerated() { #expect(self.line(of: value, in: set) == line) }
    }

    @Test func `I4: only ASCII letters fold`() {
        var set = KeySet(foldsCase: true)
        set.insert("\u{C9}t\u{E9}longername", line: 1)
        #expect(line(of: "\u{C9}T\u{E9}LONGERNAME", in: set) == 1)
        #expect(line(of: "\u{E9}t\u{E9}longername", in: set) == nil)
    }

    @Test func `a line past four thousand million is the last that can be named`() {
        var set = KeySet(foldsCase: true)
        set.insert("ann", line: 1 << 40)
        #expect(line(of: "ANN", in: set) == Int(UInt32.max))
    }

    /// The characters of values that are stored in full.
    private static let packable = Array("abcdefghijklmnopqrstuvwxyz0123456789").map(String.init)

    private func line(of value: String, in set: KeySet) -> Int? {
        Array(value.utf8).withUnsafeBufferPointer { set.line(of: $0) }
    }

    private static func folded(_ value: String) -> String {
        String(decoding: value.utf8.map { (65...90).contains($0) ? $0 + 32 : $0 }, as: UTF8.self)
    }

    private static func value(using random: inout SeededGenerator) -> String {
        let alphabet = Array("abcxyzABCXYZ019-_ \u{E9}\u{C9}")
        let length = [1, 2, 3, 3, 4, 4, 9, 10, 11, 40].randomElement(using: &random) ?? 1
        return String((0..<length).map { _ in alphabet.randomElement(using: &random) ?? "a" })
    }
}

extension KeySet {
    @discardableResult
    fileprivate mutating func insert(_ value: String, line: Int) -> Int? {
        Array(value.utf8).withUnsafeBufferPointer { insert($0, line: line) }
    }

    fileprivate mutating func removeLast(_ value: String) {
        Array(value.utf8).withUnsafeBufferPointer { removeLast($0) }
    }
}
