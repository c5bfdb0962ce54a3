import Testing
import Watchdog

@testable import ProfileCore

@Suite(.watched) struct DateTimeTests {
    @Test(
        arguments: [
            ("2024-01-26T15:00:00", "2024-01-26T15:00:00"), ("2024-01-26 15:00:00", "2024-01-26T15:00:00"),
            ("2024-01-26t15:00:00z", "2024-01-26T15:00:00Z"),
            ("2024-01-26T15:00:00.300-05:00", "2024-01-26T20:00:00.3Z"),
            ("2024-02-29T00:30:00+0100", "2024-02-28T23:30:00Z"), ("2023-12-31T23:30:00-01", "2024-01-01T00:30:00Z"),
            ("2023-12-31T23:00:00-01", "2024-01-01T00:00:00Z"), ("2024-01-01T01:00:00+01", "2024-01-01T00:00:00Z"),
            ("2024-01-26T15:00:00+23:59", "2024-01-25T15:01:00Z"),
            ("0001-01-01T00:00:00", "0001-01-01T00:00:00"),
            ("9999-12-31T23:59:59.123456789", "9999-12-31T23:59:59.123456789"),
            ("2024-01-26T15:00:00,5", "2024-01-26T15:00:00.5"),
            ("2024-01-26T15:00", nil), ("2024-01-26", nil), ("2024-01-26T24:00:00", nil), ("2024-01-26T15:60:00", nil),
            ("2024-01-26T15:00:60", nil), ("2024-01-26T15:00:00.", nil), ("2024-01-26T15:00:00.1234567890", nil),
            ("2024-01-26T15:00:00+24:00", nil), ("2024-01-26T15:00:00+5", nil), ("2024-01-26T15:00:00 Z", nil),
            ("2024-02-30T15:00:00", nil), ("0001-01-01T00:00:00+01:00", nil), ("9999-12-31T23:59:59-01:00", nil),
        ] as [(String, String?)])
    func `S6: a datetime is read as ISO 8601, and stored in UTC if it has a zone`(text: String, stored: String?) {
        #expect(DateTime(iso: text)?.description == stored)
        if let stored { #expect(DateTime(iso: stored)?.description == stored) }
    }

    @Test(
        arguments: [
            ("15:00:00", "15:00:00"), ("23:30:00-01:00", "00:30:00Z"), ("00:00:00.000000001", "00:00:00.000000001"),
            ("00:30:00+05:45", "18:45:00Z"), ("15:00", nil), ("25:00:00", nil), ("15:00:00PM", nil), ("", nil),
        ] as [(String, String?)])
    func `S6: a time is read as ISO 8601, and stored in UTC if it has a zone`(text: String, stored: String?) {
        #expect(TimeOfDay(iso: text)?.description == stored)
    }

    @Test func `the number of a day is its seconds divided by 86400`() throws {
        for days in stride(from: -719_162, through: 2_932_896, by: 397) {
            let day = try #require(CalendarDay(secondsSince1970: Int64(days) * 86_400))
            #expect(day.daysSince1970 == days)
        }
    }

    @Test func `moments are in the order of the calendar and the clock`() throws {
        let texts = ["1999-12-31T23:59:59.9", "2000-01-01T00:00:00", "2000-01-01T00:00:00.1", "2000-01-01T01:00:00"]
        let moments = try texts.map { try #require(DateTime(iso: $0)) }
        #expect(moments.shuffled().sorted() == moments)
        for moment in moments { #expect(!(moment < moment)) }
    }
}
