import FuzzTargets
import ProfileTesting
import Testing
import Watchdog

/// The inputs from which `make fuzz` starts, each checked once. Some of them once made a check fail.
@Suite(.watched) struct CorpusTests {
    @Test(arguments: FuzzTarget.allCases)
    func `I3, I5: every committed input of a format passes the check of the fuzzer`(target: FuzzTarget) async throws {
        let names = target.names
        try #require(names.count > 10, "the inputs are not found in \(target.corpus)")
        for name in names {
            await #expect(throws: Never.self, "\(target.rawValue)/\(name)") {
                try await target.check(target.input(name))
            }
        }
    }

    @Test(arguments: FuzzTarget.allCases)
    func `a few mutations of the committed inputs pass as well`(target: FuzzTarget) async throws {
        var random = SeededGenerator(printingSeedOf: "\(target)")
        let names = target.names
        for _ in 0..<rounds(target == .database ? 10 : 40) {
            let seed = random.next()
            var own = SeededGenerator(seed: seed)
            let name = try #require(names.randomElement(using: &own))
            let input = own.mutated(target.input(name))
            await #expect(throws: Never.self, "\(target.rawValue)/\(name), seed \(seed): \(input)") {
                try await target.check(input)
            }
        }
    }
}

extension SeededGenerator {
    fileprivate mutating func mutated(_ input: [UInt8]) -> [UInt8] {
        var bytes = input
        for _ in 0..<Int.random(in: 1...4, using: &self) {
            let place = Int.random(in: 0...bytes.count, using: &self)
            switch Int.random(in: 0..<4, using: &self) {
            case 0: bytes.insert(contentsOf: self.bytes(1..<4), at: place)
            case 1: bytes.insert(bytes.randomElement(using: &self) ?? 0, at: place)
            case 2: bytes.removeSubrange(place..<min(place + Int.random(in: 1...8, using: &self), bytes.count))
            default: if place < bytes.count { bytes[place] = UInt8.random(in: 0...255, using: &self) }
            }
        }
        return bytes
    }
}
