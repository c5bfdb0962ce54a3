import Testing
import Watchdog

@testable import ProfileCore

@Suite(.watched) struct DateFormatTests {
    @Test(arguments: [
        "yyyy-MM-dd", "yyyyMMdd", "dd/MM/yyyy", "MM.dd.yyyy", "dd. MM. yyyy", "(yyyy) MM dd!", "dd-yyyy-MM",
        "yyyy--MM..dd", "yyyy%MM%dd",
    ])
    func `a format has year, month and day once each, with punctuation between`(pattern: String) throws {
        let format = try #require(DateFormat(pattern))
        #expect(format.pattern == pattern)
        let day = try #require(CalendarDay(year: 987, month: 6, day: 5))
        let text = format.text(of: day)
        #expect(text.utf8.count == pattern.utf8.count)
        #expect(format.read(Array(text.utf8).span) == .value(day))
    }

    @Test(arguments: [
        "", "yyyy", "yyyy-MM", "yyyy-MM-dd-dd", "yy-MM-dd", "yyyyy-MM-dd", "yyyy-M-d", "yyyy-mm-dd", "YYYY-MM-DD",
        "yyyy-MM-ddT",
        "yyyy年MM月dd", "yyyy\tMM\tdd", "1yyyyMMdd", "yyyyMMddyyyy", " yyyyMMdd", "yyyyMMdd ", "MMddMM", "yyyyMMMdd",
    ])
    func `anything else is no format`(pattern: String) {
        #expect(DateFormat(pattern) == nil)
    }

    @Test(arguments: [
        ("yyyy-MM-dd", "1998-01-15", "1998-01-15"), ("dd/MM/yyyy", "15/01/1998", "1998-01-15"),
        ("MMddyyyy", "01151998", "1998-01-15"), ("yyyy.MM.dd", "0001.01.01", "0001-01-01"),
        ("dd. MM. yyyy", "31. 12. 9999", "9999-12-31"),
    ])
    func `a day is read as it is written`(pattern: String, text: String, iso: String) throws {
        let format = try #require(DateFormat(pattern))
        let day = try #require(CalendarDay(iso: iso))
        #expect(format.read(Array(text.utf8).span) == .value(day))
        #expect(format.text(of: day) == text)
    }

    @Test(arguments: [
        "", "1998-01-1", "1998-01-155", "1998.01.15", "1998-01.15", "1998-0a-15", "１998-1-15", "1998-01-/5",
        "1998-01-:5",
        "+998-01-15", "1998--1-15", " 998-01-15", "1998-01-1\u{0}", "yyyy-MM-dd", "98-001-015",
    ])
    func `text of another shape is another format`(text: String) {
        #expect(DateFormat.iso.read(Array(text.utf8).span) == .otherFormat)
    }

    @Test(arguments: ["1998-02-29", "0000-01-01", "1998-00-15", "1998-13-15", "1998-01-00", "1998-01-32", "1900-02-29"])
    func `a day that the calendar does not have is not the same error as another format`(text: String) {
        #expect(DateFormat.iso.read(Array(text.utf8).span) == .noSuchDay)
    }

    @Test func `two formats that the same text could fit are recognised`() throws {
        func clash(_ left: String, _ right: String) throws -> Bool {
            try #require(DateFormat(left)).looksLike(try #require(DateFormat(right)))
        }
        #expect(try clash("yyyyMMdd", "ddMMyyyy"))
        #expect(try clash("dd.MM.yyyy", "MM.dd.yyyy"))
        #expect(try clash("yyyy-MM-dd", "yyyy-MM-dd"))
        #expect(try !clash("yyyy-MM-dd", "yyyy.MM.dd"))
        #expect(try !clash("dd.MM.yyyy", "yyyy.MM.dd"))
        #expect(try !clash("yyyyMMdd", "yyyy-MM-dd"))
    }
}
