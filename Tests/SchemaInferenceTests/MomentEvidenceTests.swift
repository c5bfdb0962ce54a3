import Testing
import Watchdog

@testable import SchemaInference

/// The padding and the case that the days and times of a column have in common.
@Suite(.watched) struct MomentEvidenceTests {
    @Test(
        "the case of months and the case of am and pm are separate, and fractions keep their digits",
        arguments: [
            ("%d %b %Y %I:%M %p", ["3 May 2024 10:00 am", "12 Jun 2024 9:30 pm"], "%-d %b %Y %-I:%M %P"),
            ("%d-%b-%Y %I:%M %p", ["03-MAY-2024 10:00 am", "12-JUN-2024 09:30 pm"], "%d-%^b-%Y %I:%M %P"),
            ("%d-%b-%Y %I:%M %p", ["03-MAY-2024 10:00 AM", "12-JUN-2024 09:30 PM"], "%d-%^b-%Y %I:%M %p"),
            ("%H:%M:%S.%f %d/%m/%Y", ["10:00:00.50 3/11/2024", "07:30:00.25 4/12/2024"], "%H:%M:%S.%2f %-d/%m/%Y"),
        ])
    func written(pattern: String, values: [String], expected: String) {
        var first = MomentEvidence()
        var later = MomentEvidence()
        first.add(values[0].utf8Span.span)
        later.add(values[1].utf8Span.span)
        first.merge(later)
        #expect(first.written(pattern, "datetime") == expected)
    }
}
