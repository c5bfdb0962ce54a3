import ProfileStore
import Testing
import Watchdog

@Suite(.watched) struct TimestampTests {
    @Test(arguments: [
        (0, "1970-01-01T00:00:00.000Z"), (1_767_225_600_250, "2026-01-01T00:00:00.250Z"),
        (-1, "1969-12-31T23:59:59.999Z"), (951_868_799_007, "2000-02-29T23:59:59.007Z"),
    ])
    func `R3: a time is written in UTC, to the millisecond`(milliseconds: Int64, text: String) {
        #expect(Timestamp(millisecondsSince1970: milliseconds).description == text)
    }

    @Test(
        arguments: [
            (.milliseconds(1_500), 1_500), (.milliseconds(-1_500), -1_500), (.microseconds(1_999), 1), (.zero, 0),
            (.seconds(9_007_199_254_740_991), 9_007_199_254_740_991_000), (.seconds(9_007_199_254_740_992), .max),
            (.seconds(-9_007_199_254_740_992), .min),
        ] as [(Duration, Int64)])
    func `a duration has whole milliseconds, within the range of Int64`(duration: Duration, milliseconds: Int64) {
        #expect(duration.wholeMilliseconds == milliseconds)
    }

    @Test(arguments: [Int64.min, Int64.min + 1, Int64.max])
    func `no stored number makes a time trap`(milliseconds: Int64) {
        let time = Timestamp(millisecondsSince1970: milliseconds)
        #expect(time.day == nil)
        #expect(time.description.hasPrefix("0000-00-00T"))
        #expect(time.description.utf8.count == "0000-00-00T00:00:00.000Z".utf8.count)
    }
}
