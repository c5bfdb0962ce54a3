internal import ProfileTesting

/// A register of members of a made-up parliament, as odd as real ones: accents and apostrophes, nicknames in quotes,
/// addresses with commas, ten-digit phones, identifiers with leading zeros, several in one cell, and many empty cells.
///
/// The same seed makes the same file on every machine. It has the 36 columns of the real file of ``SharedData``.
package struct MemberRegister: Sendable {
    package static let header = [
        "last_name", "first_name", "middle_name", "suffix", "nickname", "full_name", "birthday", "gender", "type",
        "state",
        "district", "senate_class", "party", "url", "address", "phone", "contact_form", "rss_url", "twitter",
        "twitter_id",
        "facebook", "youtube", "youtube_id", "mastodon", "bioguide_id", "thomas_id", "opensecrets_id", "lis_id",
        "fec_ids",
        "cspan_id", "govtrack_id", "votesmart_id", "ballotpedia_id", "washington_post_id", "icpsr_id", "wikipedia_id",
    ]

    /// The cells of each row, without CSV quotes. An empty cell is also empty in the file.
    package let rows: [[String]]

    /// Makes a register of `count` rows. `withoutPhone` of these rows have no phone.
    package init(seed: UInt64 = 9, count: Int = 537, withoutPhone: Int = 1) {
        var random = SeededGenerator(seed: seed)
        var rows = (0..<count).map { Self.row($0, using: &random) }
        let phone = Self.header.firstIndex(of: "phone") ?? 0
        for row in rows.indices.shuffled(using: &random).prefix(withoutPhone) { rows[row][phone] = "" }
        self.rows = rows
    }

    /// The register as CSV: quotes where they are needed, line feeds.
    package var bytes: [UInt8] { Array(CSVText.lines([Self.header] + rows).utf8) }

    /// Returns the values of the column with this name. Empty if ``header`` does not contain the name.
    package func values(of column: String) -> [String] {
        guard let index = Self.header.firstIndex(of: column) else { return [] }
        return rows.map { $0[index] }
    }

    private static let lastNames = [
        "García", "O'Rourke", "Núñez", "Smith", "Van der Berg", "Łukasik", "Jean-Baptiste", "Müller", "Barragán", "Lee",
        "D'Esposito", "Sánchez", "Ng", "Björk", "Velázquez",
    ]
    private static let firstNames = [
        "Jesús", "Ann", "Zoë", "Raúl", "Mary Jo", "André", "Linda", "Nydia", "J. D.", "Björn", "Chloé", "Sam", "María",
    ]
    private static let nicknames = ["Chuy", "Rick", "Chuck", "Hank", "Peg"]
    private static let states = ["CA", "NY", "TX", "WA", "VT", "PR", "MN"]
    private static let parties = ["Democrat", "Republican", "Independent"]
    private static let buildings = ["Hart", "Dirksen", "Rayburn", "Longworth", "Cannon"]

    private static func row(_ number: Int, using random: inout SeededGenerator) -> [String] {
        func one(of values: [String]) -> String { values.randomElement(using: &random) ?? "" }
        func digits(_ count: Int) -> String {
            (0..<count).map { _ in String(Int.random(in: 0...9, using: &random)) }.joined()
        }
        func seldom(_ value: String, _ times: Int = 3) -> String { random.once(in: times) ? value : "" }
        func padded(_ value: Int, _ width: Int) -> String {
            String(repeating: "0", count: max(0, width - String(value).count)) + String(value)
        }

        let (last, first) = (one(of: lastNames), one(of: firstNames))
        let middle = seldom(one(of: ["A.", "Jean", "de la"]))
        let suffix = seldom(one(of: ["Jr.", "III"]), 8)
        let nickname = seldom(one(of: nicknames), 6)
        let given = [first, middle, nickname.isEmpty ? "" : "\"\(nickname)\"", last].filter { !$0.isEmpty }
        let fullName = given.joined(separator: " ") + (suffix.isEmpty ? "" : ", \(suffix)")
        let handle = "member\(number)"
        let isSenator = random.once(in: 5)
        let id = one(of: ["A", "C", "K", "P", "S"]) + padded(number + 1, 6)
        let day =
            "\(Int.random(in: 1933...1999, using: &random))-\(padded(Int.random(in: 1...12, using: &random), 2))-"
            + padded(Int.random(in: 1...28, using: &random), 2)
        let room = Int.random(in: 101...2468, using: &random)
        let address =
            "\(room) \(one(of: buildings)) Office Building" + (random.once(in: 2) ? ", Suite \(digits(2)), " : " ")
            + "Washington DC 2051\(digits(1))" + seldom("-" + digits(4))
        return [
            last, first, middle, suffix, nickname, fullName, day, one(of: ["F", "M"]), isSenator ? "sen" : "rep",
            one(of: states), isSenator ? "" : String(Int.random(in: 0...52, using: &random)),
            isSenator ? one(of: ["1", "2", "3"]) : "", one(of: parties), "https://\(handle).example.gov", address,
            "202-22\(digits(1))-\(digits(4))", seldom("https://\(handle).example.gov/contact?a=1&b=2"),
            seldom("http://\(handle).example.gov/?format=feed&amp;type=rss"), seldom(handle, 2), seldom(digits(9)),
            seldom(handle, 2), seldom(handle), seldom("UC\(digits(6))-_x"), seldom("@\(handle)@social.example", 9), id,
            seldom(padded(Int.random(in: 1...2400, using: &random), 5), 2), "N000\(digits(5))",
            isSenator ? "S\(digits(3))" : "",
            seldom("H8ME0\(digits(4)),S0ME0\(digits(4))", 2), seldom(digits(5)), "4\(digits(5))", digits(5), fullName,
            seldom(digits(6), 20), seldom(digits(5)), seldom("\(fullName) (politician)", 2),
        ]
    }
}
