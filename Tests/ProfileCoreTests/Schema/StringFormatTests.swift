import Testing
import Watchdog

@testable import ProfileCore

@Suite(.watched) struct StringFormatTests {
    @Test(
        arguments: [
            (.email, "a@b.co"), (.email, "first.last+tag@sub.example.org"), (.email, "o'neil@example.ie"),
            (.email, "jörg@münchen.example"), (.email, "x@xn--mnchen-3ya.example"),
            (.uri, "https://example.org/a?b=c#d"), (.uri, "mailto:a@b.co"), (.uri, "urn:isbn:0451450523"),
            (.uri, "https://example.org/caf%C3%A9"), (.uri, "https://example.org/café"), (.uri, "tel:+49-30"),
            (.uri, "a:!~"), (.uri, "x:À"),
            (.uuid, "123e4567-e89b-12d3-a456-426614174000"), (.uuid, "123E4567-E89B-12D3-A456-426614174000"),
        ] as [(StringFormat, String)])
    func `S6: a text in the format of the string is accepted`(format: StringFormat, text: String) {
        let isTaken = format.accepts(text.utf8Span.span)
        #expect(isTaken)
    }

    @Test(
        arguments: [
            (.email, "a"), (.email, "@b.co"), (.email, "a@"), (.email, "a@b"), (.email, "a b@c.de"),
            (.email, "a..b@c.de"), (.email, ".a@c.de"), (.email, "a@c..de"), (.email, "a@-c.de"), (.email, "a@c-.de"),
            (.email, "a@b@c.de"), (.email, "a@127.0.0.1"), (.email, "a@c.d"), (.email, "a@c.de."),
            (.email, String(repeating: "a", count: 65) + "@c.de"), (.email, "Foo <a@c.de>"),
            (.uri, "example.org"), (.uri, "//example.org"), (.uri, "1http://x"), (.uri, "http://a b"),
            (.uri, "http://a%2"), (.uri, "http://a%zz"), (.uri, "http://a%z2"), (.uri, "http://a%2z"), (.uri, "a\\b:c"),
            (.uri, ":x"), (.uri, "http:"),
            (.uri, "x:<y>"),
            (.uuid, "123e4567e89b12d3a456426614174000"), (.uuid, "{123e4567-e89b-12d3-a456-426614174000}"),
            (.uuid, "123e4567-e89b-12d3-a456-42661417400"), (.uuid, "123e4567-e89b-12d3-a456-42661417400g"),
            (.uuid, "123e4567-e89b-12d3-a456_426614174000"),
        ] as [(StringFormat, String)])
    func `S6: a text that is not in the format of the string is bad_format`(format: StringFormat, text: String) throws {
        let validator = ProfileValidator(try .with(#"{"name":"x","format":"\#(format.rawValue)"}"#))
        #expect(try validator.codes(text, in: "x") == [.badFormat])
    }

    @Test func `S3: a format is judged beside the field's other rules`() throws {
        let validator = ProfileValidator(
            try .with(#"{"name":"x","format":"email","constraints":{"maxLength":5},"profiles":{"requires":["digit"]}}"#)
        )
        #expect(try validator.codes("nobody", in: "x") == [.tooLong, .badFormat, .missingDigit])
        #expect(try validator.codes("1@b.c", in: "x") == [.badFormat])
    }
}
