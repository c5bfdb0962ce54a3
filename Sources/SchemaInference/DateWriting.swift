internal import ProfileCore

/// A date format, with its order of day and month.
public struct DateWriting: Hashable, Sendable {
    /// The pattern, as ``/ProfileCore/DateFormat`` accepts it.
    public let pattern: String
    /// Whether the day or the month comes first, if only the order distinguishes them; nil if they cannot be confused.
    let order: Order?

    /// Whether the pattern has the syntax of strptime(3).
    var isStrptime: Bool { pattern.utf8.contains(UInt8(ascii: "%")) }

    enum Order: Hashable, Sendable { case dayFirst, monthFirst }

    private init(_ pattern: String, _ order: Order? = nil) {
        self.pattern = pattern
        self.order = order
    }

    /// All formats. ISO order comes first and strict formats come before lenient ones. So the first fitting format is
    /// the most specific.
    static let all: [DateWriting] =
        ["yyyy-MM-dd", "yyyy/MM/dd", "yyyy.MM.dd", "yyyyMMdd"].map { DateWriting($0) }
        + ["/", ".", "-", " "].flatMap { sign in
            [
                DateWriting("dd\(sign)MM\(sign)yyyy", .dayFirst), DateWriting("MM\(sign)dd\(sign)yyyy", .monthFirst),
                DateWriting("%d\(sign)%m\(sign)%Y", .dayFirst), DateWriting("%m\(sign)%d\(sign)%Y", .monthFirst),
            ]
        }
        + ["/", ".", "-"].flatMap { sign in
            [DateWriting("%d\(sign)%m\(sign)%y", .dayFirst), DateWriting("%m\(sign)%d\(sign)%y", .monthFirst)]
        }
        + [
            "%Y/%m/%d", "%Y-%m-%d", "%d-%b-%Y", "%d %b %Y", "%d %B %Y", "%b %d, %Y", "%b %d %Y", "%B %d, %Y",
            "%d-%b-%y",
        ]
        .map { DateWriting($0) }

    /// The patterns of date and time, in addition to ISO 8601.
    static let dateTimes = [
        "%Y-%m-%d %H:%M:%S", "%Y-%m-%d %H:%M", "%Y/%m/%d %H:%M:%S", "%Y/%m/%d %H:%M", "%Y-%m-%d %H:%M:%S.%f",
        "%d.%m.%Y %H:%M:%S", "%d.%m.%Y %H:%M",
    ]

    /// The format with the same order that also accepts days and months of one digit. Nil for ISO 8601, for a pattern
    /// of strptime(3), and if ``all`` has no such format.
    var unpadded: DateWriting? {
        guard !isStrptime, pattern != DateFormat.iso.pattern else { return nil }
        let pattern = pattern.replacing("dd", with: "%d").replacing("MM", with: "%m").replacing("yyyy", with: "%Y")
        return Self.all.first { $0.pattern == pattern }
    }

    /// Returns whether a value plausibly has this format. Eight digits are a date only if the year begins with 19 or
    /// 20.
    var isPlausible: @Sendable (Span<UInt8>) -> Bool {
        switch pattern {
        case "yyyyMMdd":
            { text in
                text.count == 8
                    && (text[0] == UInt8(ascii: "1") && text[1] == UInt8(ascii: "9")
                        || text[0] == UInt8(ascii: "2") && text[1] == UInt8(ascii: "0"))
            }
        case _ where pattern.contains("%b") || pattern.contains("%B"): { 8...18 ~= $0.count }
        default: { 6...10 ~= $0.count && $0[0].isASCIIDigit }
        }
    }
}
