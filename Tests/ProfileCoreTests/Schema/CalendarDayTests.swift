import ProfileCore
import Testing
import Watchdog

@Suite(.watched) struct CalendarDayTests {
    @Test(
        arguments: [
            (1900, 2, 29, false), (2000, 2, 29, true), (2100, 2, 29, false), (1904, 2, 29, true), (2023, 2, 29, false),
            (2024, 2, 30, false), (2024, 4, 31, false), (2024, 12, 31, true), (2024, 1, 32, false), (2024, 1, 0, false),
            (2024, 0, 1, false), (2024, 13, 1, false), (0, 1, 1, false), (1, 1, 1, true), (9999, 12, 31, true),
            (10_000, 1, 1, false),
            (.min, .min, .min, false), (.max, .max, .max, false), (2024, 1, .min, false),
        ] as [(Int, Int, Int, Bool)])
    func `only real days exist`(year: Int, month: Int, day: Int, exists: Bool) {
        #expect((CalendarDay(year: year, month: month, day: day) != nil) == exists)
    }

    @Test func `every day from 1900 to 2100 has its text, its place in time, and follows the one before`() throws {
        var seconds: Int64 = -25_567 * 86_400
        var previous = try #require(CalendarDay(year: 1899, month: 12, day: 31))
        var count = 0
        for year in 1900...2100 {
            for month in 1...12 {
                for number in 1...daysIn(month, of: year) {
                    let day = try #require(CalendarDay(year: year, month: month, day: number))
                    let text = "\(year)-\(month < 10 ? "0" : "")\(month)-\(number < 10 ? "0" : "")\(number)"
                    let agrees =
                        day.description == text && CalendarDay(iso: text) == day && previous < day && !(day < previous)
                        && CalendarDay(secondsSince1970: seconds) == day
                        && CalendarDay(secondsSince1970: seconds + 86_399) == day
                    if !agrees { Issue.record("\(text) at \(seconds)") }
                    previous = day
                    seconds += 86_400
                    count += 1
                }
            }
        }
        #expect(count == 73_414)
    }

    @Test func `the first and last days of every month of every year are where counting puts them`() throws {
        var days: Int64 = -719_162
        for year in 1...9999 {
            for month in 1...12 {
                let first = CalendarDay(secondsSince1970: days * 86_400)
                days += Int64(daysIn(month, of: year))
                let last = CalendarDay(secondsSince1970: days * 86_400 - 1)
                let isRight =
                    first == CalendarDay(year: year, month: month, day: 1)
                    && last == CalendarDay(year: year, month: month, day: daysIn(month, of: year)) && last != nil
                if !isRight {
                    Issue.record("\(year)-\(month): \(String(describing: first)), \(String(describing: last))")
                }
            }
        }
        #expect(CalendarDay(secondsSince1970: days * 86_400) == nil)
        #expect(CalendarDay(secondsSince1970: -719_162 * 86_400 - 1) == nil)
    }

    @Test(arguments: [Int64.min, .min + 1, .min + 86_399, .max, .max - 86_399])
    func `a time beyond the calendar has no day`(seconds: Int64) {
        #expect(CalendarDay(secondsSince1970: seconds) == nil)
    }

    /// A second implementation, independent of the code that is tested.
    private func daysIn(_ month: Int, of year: Int) -> Int {
        let isLeap = year % 400 == 0 || year % 4 == 0 && year % 100 != 0
        return [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1]
    }
}
