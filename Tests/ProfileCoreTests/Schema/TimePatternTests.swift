import Testing
import Watchdog

@testable import ProfileCore

/// Patterns for `strptime`. The expected values are the answers of Python.
@Suite(.watched) struct TimePatternTests {
    @Test(
        arguments: [
            ("%d/%m/%Y", "05/03/2024", "2024-03-05"), ("%d/%m/%Y", "5/3/2024", "2024-03-05"),
            ("%m/%d/%Y", "12/31/1999", "1999-12-31"), ("%d%m%Y", "1112024", "2024-01-11"),
            ("%d.%m.%y", "1.2.68", "2068-02-01"), ("%d.%m.%y", "1.2.69", "1969-02-01"),
            ("%d %b %Y", "5 mAr   2024", "2024-03-05"), ("%B %d, %Y", "may 1, 2024", "2024-05-01"),
            ("%Y年%m月%d日", "2024年3月5日", "2024-03-05"), ("%Y%%%m%%%d", "2024%3%5", "2024-03-05"),
            ("%Y~%m~%d", "2024~3~5", "2024-03-05"), ("%Y-%m-%d %H:%M", "2024-03-05 23:59", "2024-03-05"),
            ("%Y-%m-%dT%H:%M:%S%z", "2024-03-05T01:00:00+02:00", "2024-03-05"),
            ("%d/%m/%Y", "31/04/2024", "no such day"), ("%d/%m/%Y", "29/02/2023", "no such day"),
            ("%d/%m/%Y", "5/3/24", nil), ("%d/%m/%Y", "32/01/2024", nil), ("%d/%m/%Y", "1/13/2024", nil),
            ("%d/%m/%Y", "1-2-2024", nil), ("%d/%m/%Y", "001/2/2024", nil), ("%d/%m/%Y", "1/2/2024x", nil),
            ("%d %b %Y", "5 March 2024", nil), ("%d %b %Y", "5Mar2024", nil), ("%d.%m.%y", "1.2.2024", nil),
            ("%Y-%m-%d %H:%M", "2024-03-05 24:00", nil),
        ] as [(String, String, String?)])
    func `S6: a date is read as Python's strptime reads it`(pattern: String, text: String, day: String?) throws {
        let format = try #require(DateFormat(pattern))
        switch format.read(text.utf8Span.span) {
        case .value(let read): #expect(read.description == day)
        case .noSuchDay: #expect(day == "no such day")
        case .otherFormat: #expect(day == nil)
        }
    }

    @Test(arguments: [
        "%Y-%m", "%d/%m", "%Y-%m-%d-%d", "%Y-%m-%d %Y", "%Y %y %m %d", "%m %b %d %Y", "%Y-%j", "%c", "%x",
        "%A %d %m %Y",
        "%Y-%m-%d %I:%M", "%Y-%m-%d %H:%M %p", "%Y-%m-%d %M", "%Y-%m-%d %H:%S", "%Y-%m-%d %H:%M:%f", "%", "%Y-%m-%d%",
        " %Y-%m-%d", "%Y-%m-%d ", "%Y\u{0}%m%d", "%Y\u{7F}%m%d", "%d of the month %m of the year %Y and so on",
    ])
    func `S6: a pattern that does not say the day, or says it twice, is not a date format`(pattern: String) {
        #expect(DateFormat(pattern) == nil)
    }

    @Test(
        arguments: [
            ("%d.%m.%Y %H:%M", "5.3.2024 7:05", "2024-03-05T07:05:00"),
            ("%m/%d/%Y %I:%M:%S %p", "03/05/2024 12:00:01 AM", "2024-03-05T00:00:01"),
            ("%m/%d/%Y %I:%M:%S %p", "03/05/2024 12:00:01 pm", "2024-03-05T12:00:01"),
            ("%Y-%m-%d %H:%M:%S.%f", "2024-03-05 07:05:09.25", "2024-03-05T07:05:09.25"),
            ("%Y-%m-%dT%H:%M:%S%z", "2024-01-01T01:30:00+0200", "2023-12-31T23:30:00Z"),
            ("%Y-%m-%dT%H:%M:%S%z", "2024-01-01T01:30:00Z", "2024-01-01T01:30:00Z"),
            ("%Y-%m-%d", "2024-01-01", "2024-01-01T00:00:00"),
            ("%Y-%m-%d %H:%M:%S.%f", "2024-03-05 07:05:09.", nil),
            ("%Y-%m-%dT%H:%M:%S%z", "2024-01-01T01:30:00+02", nil),
            ("%Y-%m-%dT%H:%M:%S%z", "2024-01-01T01:30:00", nil), ("%d.%m.%Y %H:%M", "5.3.2024 7:60", nil),
        ] as [(String, String, String?)])
    func `S6: a datetime is read as Python's strptime reads it, and in UTC if it has a zone`(
        pattern: String, text: String, moment: String?
    ) throws {
        let format = try #require(DateFormat(pattern, of: .dateTime))
        guard case .value(let read) = format.readDateTime(text.utf8Span.span) else { return #expect(moment == nil) }
        #expect(read.description == moment)
    }

    @Test(arguments: ["%d %H:%M", "%Y-%m-%d %H:%M", "%Y-%m-%d", "%M:%S", "o'clock", "%H:%M %p", "%H %H"])
    func `S6: a pattern that lacks the hour, or contains a part of a day, is not a pattern of a time`(pattern: String) {
        #expect(DateFormat(pattern, of: .time) == nil)
    }

    @Test(
        arguments: [
            ("%H:%M", "7:05", "07:05:00"), ("%H.%M.%S", "07.05.09", "07:05:09"), ("%I %p", "11 PM", "23:00:00"),
            ("%H:%M%z", "01:00+05:30", "19:30:00Z"), ("%H:%M", "24:00", nil),
        ] as [(String, String, String?)])
    func `S6: a time is read as Python's strptime reads it`(pattern: String, text: String, time: String?) throws {
        let format = try #require(DateFormat(pattern, of: .time))
        guard case .value(let read) = format.readTime(text.utf8Span.span) else { return #expect(time == nil) }
        #expect(read.description == time)
    }

    @Test(arguments: [
        ("%d/%m/%Y", "05/03/2024"), ("%d %b %y", "05 Mar 24"), ("%B %d, %Y", "March 05, 2024"),
        ("%Y-%m-%dT%H:%M:%S%z", "2024-03-05T00:00:00Z"), ("%Y at %d.%m", "2024 at 05.03"),
    ])
    func `a day is written with all its digits`(pattern: String, text: String) throws {
        let format = try #require(DateFormat(pattern))
        #expect(format.text(of: try ProfileSchema.day(2024, 3, 5)) == text)
        #expect(text.utf8.count <= format.length)
    }

    @Test func `two formats that the same text could fit are recognised, in either notation`() throws {
        func clash(_ left: String, _ right: String) throws -> Bool {
            try #require(DateFormat(left)).looksLike(try #require(DateFormat(right)))
        }
        #expect(try clash("%d/%m/%Y", "%m/%d/%Y"))
        #expect(try clash("%d/%m/%Y", "dd/MM/yyyy"))
        #expect(try clash("yyyyMMdd", "%d%m%Y"))
        #expect(try !clash("%d/%m/%Y", "%d.%m.%Y"))
        #expect(try !clash("%d %b %Y", "%d %m %Y"))
    }

    @Test func `a pattern whose parts may each have several lengths is matched quickly`() throws {
        let format = try #require(DateFormat("%d%m%H%M%S%f%Y", of: .dateTime))
        for text in [String(repeating: "1", count: 22), String(repeating: "1", count: 40)] {
            #expect(format.readDateTime((text + "x").utf8Span.span) == .otherFormat)
        }
    }
}
