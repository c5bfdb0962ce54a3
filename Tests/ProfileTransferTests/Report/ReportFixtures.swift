import ProfileStore
import ProfileTransfer

/// A text that would run a script if the HTML report did not escape it.
let breakOut = "</script><script>alert(1)</script>"

let sampleTime = Timestamp(millisecondsSince1970: 1_769_850_900_250)

/// An import report with every kind of content, including harmful values.
func sampleImport(mostIssues: Int = 10_000) -> ImportReport {
    var report = ImportReport(
        source: "people.csv", schema: SchemaReference(name: "standard", version: 1, fingerprint: "5f3a9c0de1b24477"),
        mostIssues: mostIssues, isDryRun: false, startedAt: sampleTime, store: "/srv/people.sqlite")
    report.rows = 1_234_567
    report.imported = 1_234_500
    report.skipped = 63
    report.rejected = 4
    report.seconds = 1.2345
    let tooShort = "Phone should have at least 8 characters"
    let odd = "マーン\u{1b}[2J\n"
    report.add(12, 11, "phone", "too_short", tooShort, "787", key: odd)
    report.add(12, 11, "username", "bad_character", "Username may hold ASCII letters only", odd, key: odd)
    report.add(40, 38, "password", "missing_digit", "Password should have at least one decimal digit", nil, key: "ann")
    report.add(41, 39, nil, "bad_row", "The row has 7 cells where the header has 6", nil)
    report.add(77, 75, "phone", "too_short", tooShort, breakOut, key: breakOut)
    return report
}

extension ImportReport {
    mutating func add(
        _ line: Int, _ record: Int, _ field: String?, _ code: String, _ message: String, _ value: String?,
        key: String? = nil
    ) {
        let issue = ReportedIssue(field: field, code: code, message: message)
        guard issues.count(field: field, code: code) else { return }
        issues.list(
            RowIssue(line: line, record: record, issue: issue, value: value, key: key), field: field, code: code)
    }
}

/// The report of a revalidation by rules that are not in force.
func sampleRevalidation() -> RevalidationReport {
    var report = RevalidationReport(
        schema: SchemaReference(name: "stricter", version: nil, fingerprint: "00ff"), mostIssues: 10, isCandidate: true,
        startedAt: sampleTime, store: "/srv/people.sqlite")
    report.checked = 3
    report.valid = 2
    report.invalid = 1
    report.credentialsPredating = 3
    report.seconds = 0.25
    let issue = ReportedIssue(
        field: "address", code: "too_short", message: "Address should have at least 10 characters")
    if report.issues.count(field: "address", code: "too_short") {
        report.issues.list(
            ProfileIssue(key: "skboard", issue: issue, value: "12 Main"), field: "address", code: "too_short")
    }
    return report
}

/// Random texts of characters that a format must escape. Equal seeds give equal texts.
struct HostileTexts {
    private var state: UInt64
    private let pieces: [String]

    init(seed: UInt64, pieces: [String] = Self.anything) {
        state = seed
        self.pieces = pieces
    }

    static let anything =
        ["\u{0}", "\u{1b}", "\u{7f}", "\u{9b}", "\u{202e}", "<!--", breakOut, "\u{2028}", "\u{2029}"] + printable
    /// Pieces that a field without further rules accepts.
    static let printable = [
        "\"", "\"\"", ",", ";", "'", "\n", "\r\n", "\r", "\t", " ", "\\", "\\u003c", "<", ">", "&", "&amp;", "=1+1",
        "+",
        "-", "@", "é", "e\u{301}", "👩‍👩‍👧", "\u{FEFF}", "日本", "null", "}", "]", "a", "0",
    ]

    mutating func next() -> String {
        (0..<Int(random(8))).map { _ in pieces[Int(random(UInt64(pieces.count)))] }.joined()
    }

    /// SplitMix64 (Steele, Lea and Flood 2014).
    private mutating func random(_ bound: UInt64) -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ value >> 30) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ value >> 27) &* 0x94D0_49BB_1331_11EB
        return (value ^ value >> 31) % bound
    }
}
