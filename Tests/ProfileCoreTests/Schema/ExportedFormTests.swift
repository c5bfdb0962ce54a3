import Testing
import Watchdog

@testable import ProfileCore

/// The form in which an export like the original file writes values.
@Suite(.watched) struct ExportedFormTests {
    private static func field(_ members: String) throws -> FieldRules {
        let username = #"{"name":"username","constraints":{"required":true,"unique":true}}"#
        return try ProfileSchema(parsing: #"{"fields":[\#(username),{"name":"x",\#(members)}]}"#).fields[1]
    }

    private static let loose = #""type":"number","bareNumber":false"#

    @Test(
        "N13: a stored value is written in the form of the schema",
        arguments: [
            (loose, "$0.00", "-1234.5", "-$1234.50"), (loose, "$-0.0", "-3", "$-3.0"),
            (loose, "$-0.0", "0.125", "$0.125"),
            (loose + #","groupChar":".","decimalChar":",""#, "0.00 €", "1234567.5", "1.234.567,50 €"),
            (loose + #","groupChar":",""#, "0%", "-1e-05", "-0.00001%"), (loose, "0.00 kg", "1e+20", "1e+20 kg"),
            (#""type":"number""#, "0.0", "1", "1.0"),
            (#""type":"number""#, "0.000000000000000", "1", "1.000000000000000"),
            (#""type":"integer","groupChar":",""#, "0", "-123456", "-123,456"),
            (#""type":"date","format":"%d.%m.%Y""#, "%-d.%-m.%Y", "2024-02-03", "3.2.2024"),
            (#""type":"date","format":"%d-%b-%Y""#, "%d-%^b-%Y", "2024-02-03", "03-FEB-2024"),
            (#""type":"time","format":"%I:%M %p""#, "%-I:%M %P", "00:05:00", "12:05 am"),
            // Seconds that the form omits are kept.
            (#""type":"datetime""#, "%Y-%m-%d %H:%M:%S", "2024-02-03T04:05:06.5", "2024-02-03T04:05:06.5"),
            (#""type":"datetime""#, "%Y-%m-%d %H:%M:%S.%3f", "2024-02-03T04:05:06.5", "2024-02-03 04:05:06.500"),
        ])
    func written(members: String, form: String, stored: String, expected: String) throws {
        let rules = try Self.field(#"\#(members),"profiles":{"written":"\#(form)"}"#)
        #expect(rules.written?.text == form)
        #expect(rules.originalForm(of: stored) == expected)
        #expect(FieldValidator(rules).canonical(expected) == stored)
    }

    @Test(
        "N13: a stored text that is no number is written unchanged, and a number in another form than the stored one too",
        arguments: [
            ("unknown", "unknown"), ("a1e--3", "a1e--3"), ("12345e", "12345e"), ("--5", "--5"), ("1e-0", "$1e-0"),
            ("12.5e-3", "$12.5e-3"), ("1e-05", "$0.00001"),
        ])
    func noNumber(stored: String, expected: String) throws {
        let rules = try Self.field(Self.loose + #","groupChar":",","profiles":{"written":"$0.00"}"#)
        #expect(rules.originalForm(of: stored) == expected)
    }

    @Test(
        "S6: a form that the field would not read as the same value is refused",
        arguments: [
            (loose, "$"), (loose, "10"), (loose, "(0)"), (loose, "0-"), (loose, " 0"), (loose, "0.0.0"),
            (loose, "No.0 5"),
            (loose, "0.0000000000000000"), (loose, "--0"), (#""type":"integer""#, "0.0"),
            (#""type":"integer","bareNumber":false"#, "1 0"),
            (#""type":"number""#, "0 %"), (#""type":"number","decimalChar":",""#, "0. "),
            (#""type":"date""#, "%Y-%-m-%d"),
            (#""type":"date","format":"%d/%m/%Y""#, "%m/%d/%Y"), (#""type":"date","format":"%d/%m/%Y""#, "%d/%m"),
            (#""type":"date","format":"%d/%m/%Y""#, "%^d/%m/%Y"), (#""type":"time""#, "%H:%M"),
            (#""type":"string""#, "0"),
            (#""type":"boolean""#, "yes"),
        ])
    func refused(members: String, form: String) throws {
        let failure = #expect(throws: SchemaFailure.self) {
            try Self.field(#"\#(members),"profiles":{"written":"\#(form)"}"#)
        }
        #expect(failure?.errors.map(\.path) == ["$.fields[1].profiles.written"])
    }

    @Test func `S6: a form with another unit than the field is refused, and missing values change nothing`() throws {
        for (unit, isRefused) in [("$", true), ("€", false), ("EUR", false)] {
            let members = #"\#(Self.loose),"missingValues":["5"],"profiles":{"unit":"\#(unit)","written":"€0.00"}"#
            if isRefused {
                let failure = #expect(throws: SchemaFailure.self) { try Self.field(members) }
                #expect(failure?.errors.map(\.path) == ["$.fields[1].profiles.written"])
            } else {
                #expect(try Self.field(members).written?.text == "€0.00")
            }
        }
    }

    @Test(arguments: ["%-d/%m/%Y", "%d/%^b/%Y", "%d/%m/%Y %I %P"])
    func `S6: a pattern with a directive that is only for writing is not a format for reading`(pattern: String) {
        #expect(DateFormat(pattern) == nil && DateFormat(pattern, of: .date, isWritten: true) != nil)
    }
}
