internal import ProfileCore

/// A way of writing dates, and how its days and months stand.
public struct DateWriting: Hashable, Sendable {
    /// As ``/ProfileCore/DateFormat`` takes it.
    public let pattern: String
    /// What stands first where only the order tells day from month; nil where nothing can be mistaken.
    let order: Order?

    /// Whether the pattern is one of strptime(3).
    var isStrptime: Bool { pattern.utf8.contains(UInt8(ascii: "%")) }

    enum Order: Hashable, Sendable { case dayFirst, monthFirst }

    private init(_ pattern: String, _ order: Order? = nil) {
        self.pattern = pattern
        self.order = order
    }

    /// Whole numbers first and strict ones before lenient ones, so that the first that fits says most.
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

    /// Patterns of date and time, besides ISO 8601's.
    static let dateTimes = [
        "%Y-%m-%d %H:%M:%S", "%Y-%m-%d %H:%M", "%Y/%m/%d %H:%M:%S", "%Y/%m/%d %H:%M", "%Y-%m-%d %H:%M:%S.%f",
        "%d.%m.%Y %H:%M:%S", "%d.%m.%Y %H:%M",
    ]

    /// Whether a value can be meant so: eight digits are a date only if their year is near.
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
