import ProfileTesting
import Testing
import Watchdog

@testable import ProfileCore

@Suite(.watched) struct ValueOrderTests {
    private func compare(_ order: ValueOrder, _ left: String, _ right: String) -> Int {
        order.compare(Array(left.utf8).span, Array(right.utf8).span).signum()
    }

    private func compareKeys(_ order: ValueOrder, _ left: String, _ right: String) -> Int {
        let keys = [left, right].map { text in
            var key: [UInt8] = []
            order.appendKey(of: Array(text.utf8).span, to: &key)
            return key
        }
        if keys[0] == keys[1] { return 0 }
        // No key begins with another key.
        #expect(!keys[0].starts(with: keys[1]) && !keys[1].starts(with: keys[0]), "\(left) \(right)")
        return keys[0].lexicographicallyPrecedes(keys[1]) ? -1 : 1
    }

    /// Expects that each row comes before the rows after it, and that the texts of one row are equal.
    private func expect(_ order: ValueOrder, _ rows: [[String]]) {
        let places = rows.enumerated().flatMap { place, row in row.map { (place: place, text: $0) } }
        for one in places {
            for other in places {
                let expected = (one.place - other.place).signum()
                #expect(compare(order, one.text, other.text) == expected, "\(one.text) \(other.text)")
                #expect(compareKeys(order, one.text, other.text) == expected, "the keys of \(one.text) \(other.text)")
            }
        }
    }

    @Test func `numbers follow each other by value, of any size and however they are written`() {
        expect(
            .number,
            [
                ["-1e1099511627777"], ["-1e1099511627776"], ["-1e400"], ["-9223372036854775808"],
                ["-9223372036854775807"], ["-10", "-1e1", "-010.0"], ["-9.99"],
                ["-1"], ["-0.5"], ["-5e-324"], ["0", "-0", "0.0", "0e9", ".0"], ["1e-1099511627777"],
                ["1e-1099511627776"], ["5e-324"], ["1e-9", "0.000000001"],
                ["0.05", "5e-2"], ["0.5", ".5", "50e-2"], ["0.50000000000000000001"], ["1", "1.", "+1", "1e0"],
                ["1.000000000000000000001"], ["9"], ["10", "1E+1"], ["41"], ["100.5"], ["9007199254740992"],
                ["9007199254740993"], ["9223372036854775807"], ["99999999999999999999"], ["1e+300"],
                ["1e1099511627776"], ["1e1099511627777", "10e1099511627776", "0.1e01099511627778"],
                ["1e99999999999999"],
                ["1e999999999999999999", "1e0999999999999999999"],
                // Text that is not a number comes last. An exponent of more than 18 digits is not read.
                [""], ["+"], ["-"], ["."], ["1 "], ["1,5"], ["1e"], ["1e+"], ["1e1000000000000000000"], ["1x"], ["NaN"],
                ["inf"], ["é"],
            ])
    }

    @Test func `numbers follow each other as doubles do`() {
        var random = SeededGenerator(printingSeedOf: "the order of numbers")
        for _ in 0..<rounds(20_000) {
            let (left, right) = (Double(bitPattern: random.next()), Double(bitPattern: random.next()))
            guard left.isFinite, right.isFinite else { continue }
            let order = left < right ? -1 : left > right ? 1 : 0
            let (one, other) = (NumberText.canonical(left), NumberText.canonical(right))
            #expect(compare(.number, one, other) == order, "\(left) \(right)")
            #expect(compareKeys(.number, one, other) == order, "the keys of \(left) \(right)")
        }
    }

    @Test func `times follow each other, also where some have a fraction or a zone`() {
        expect(
            .moment,
            [
                ["00:00:00", "00:00:00Z"], ["12:00:00", "12:00:00Z"], ["12:00:00.5", "12:00:00.5Z"], ["12:00:00.55Z"],
                ["12:00:01Z"], ["23:59:59"],
            ])
        expect(
            .moment,
            [
                ["0999-12-31T23:59:59"], ["2024-02-29T12:00:00Z"], ["2024-02-29T12:00:00.25Z"], ["2024-02-29T12:00:01"],
                ["2024-03-01T00:00:00Z", "2024-03-01T00:00:00"],
            ])
    }

    @Test func `text is ordered by its bytes, and a key without regard to the case of ASCII letters`() {
        expect(.bytes, [[""], ["A"], ["Ab"], ["B"], ["a"], ["a\u{0}"], ["aa"], ["z"], ["é"], ["日"], ["🇸🇬"]])
        expect(.ignoringCase, [[""], ["_"], ["A", "a"], ["aB", "AB"], ["b"], ["Z", "z"], ["É"], ["é"]])
        expect(.bytes, [["false"], ["true"]])
        expect(.bytes, [["0001-01-01"], ["1999-12-31"], ["2000-01-01"], ["9999-12-31"]])
    }

    @Test(arguments: [
        (FieldType.string, ["", "anything"], []), (.integer, ["0", "-12"], ["", "x", "1 "]),
        (.number, ["1.5", "1e+300"], ["one", ""]), (.boolean, ["true", "false"], ["True", "1", ""]),
        (.date, ["1998-01-15"], ["1998-02-30", "long ago", ""]),
        (.dateTime, ["1998-01-15T00:00:00Z"], ["1998-01-15", ""]),
        (.time, ["00:00:00"], ["24:00:00", "noon"]), (.year, ["1998"], ["98", "199x"]),
    ])
    func `a stored text is a value of a type or not`(type: FieldType, values: [String], others: [String]) {
        for (text, isValue) in values.map({ ($0, true) }) + others.map({ ($0, false) }) {
            let holds = type.holds(Array(text.utf8).span)
            #expect(holds == isValue, "\(text)")
        }
    }
}
