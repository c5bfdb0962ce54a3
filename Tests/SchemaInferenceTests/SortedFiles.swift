import ProfileTesting
import Testing

/// A file of rows as people get it month after month: sorted by time, by a group or by a number that rises.
struct SortedFile: Sendable, CustomTestStringConvertible {
    let name: String
    let header: String
    let rows: [String]

    var testDescription: String { name }

    /// The first rows, with the header.
    func first(_ count: Int) -> [UInt8] { text(rows[..<count]) }

    /// The rows behind the first ones, with the header.
    func rest(after count: Int) -> [UInt8] { text(rows[count...]) }

    private func text(_ rows: ArraySlice<String>) -> [UInt8] {
        Array(([header] + rows).map { $0 + "\n" }.joined().utf8)
    }

    private init(
        _ name: String, seed: UInt64, rows count: Int, _ header: String,
        _ row: (Int, inout SeededGenerator) -> [String]
    ) {
        self.name = name
        self.header = header
        var random = SeededGenerator(seed: seed)
        rows = (0..<count).map { row($0, &random).joined(separator: ",") }
    }

    /// From ten fields. No row is wrong: what a rule refuses in the rest of a file is the fault of the rule.
    static let all = [
        bank, orders, stations, staff, earthquakes, pupils, flights, library, products, visits,
    ]

    private static func day(_ number: Int) -> String {
        let day = String(number % 28 + 1)
        let month = String(number / 28 % 12 + 1)
        return "\(2020 + number / 336)-\(month.count == 1 ? "0" : "")\(month)-\(day.count == 1 ? "0" : "")\(day)"
    }

    /// Sorted by day. Payees keep coming, and some occur once.
    private static let bank = SortedFile("bank", seed: 11, rows: 1_600, "id,booked,payee,amount,currency,note") {
        row, random in
        let payee =
            random.once(in: 6) ? "Shop \(random.letters(random.number(3...14)))" : "Payee \(random.number(1...30))"
        let note = random.once(in: 3) ? "" : "Ref \(random.digits(random.number(4...12)))"
        return [
            "\(row + 1)", day(row / 6), payee, "-\(random.number(1...900)).\(random.digits(2))",
            random.once(in: 400) ? "USD" : "EUR", note,
        ]
    }

    /// Sorted by a number that gets a digit more. Returns have another state, which is rare.
    private static let orders = SortedFile("orders", seed: 12, rows: 3_000, "order_id,day,country,items,status,coupon")
    {
        row, random in
        let status = random.once(in: 900) ? "charged back" : random.one(of: ["paid", "sent", "open"])
        return [
            "\(row + 60)", day(row / 9), random.one(of: ["DE", "FR", "IT", "ES", "NL", "BE", "AT"]),
            "\(random.number(1...9))", status, row > 2_000 && random.once(in: 5) ? "SAVE\(random.digits(2))" : "",
        ]
    }

    /// Grouped by station, and sorted by day within it.
    private static let stations = SortedFile("stations", seed: 13, rows: 2_400, "id,station,day,height,level,quality") {
        row, random in
        let station = row / 200
        return [
            "m\(row)", "Station \(["North", "South", "Harbour"][station % 3]) \(station)", day(row % 200),
            "\(station * 37)",
            station < 5 ? "\(random.number(10...99))" : "\(random.number(100...240))",
            station < 7 ? "good" : random.one(of: ["good", "fair", "poor"]),
        ]
    }

    /// Sorted by name. Those who left have a day for it.
    private static let staff = SortedFile("staff", seed: 14, rows: 700, "login,surname,department,born,left") {
        row, random in
        let letter = Array("ABCDEFGHIKLMNOPRSTUVWZ")[row / 32]
        return [
            "u\(1_000 + row)", "\(letter)\(random.letters(random.number(3...9)))",
            random.one(of: ["Sales", "Research", "Production", "Office"]), day(random.number(0...1_000)),
            random.once(in: 9) ? day(random.number(1_200...1_600)) : "",
        ]
    }

    /// The newest first. In earlier years, another method was usual, which is rare today.
    private static let earthquakes = SortedFile("earthquakes", seed: 15, rows: 1_800, "id,time,magnitude,method,place")
    {
        row, random in
        [
            "us\(7_000 - row)", "\(day(2_000 - row))T\(random.time())Z", "\(random.number(1...7)).\(random.digits(1))",
            row < 1_100
                ? random.once(in: 40) ? "md" : random.one(of: ["mb", "ml", "mww"]) : random.one(of: ["mb", "md"]),
            "\(random.number(1...200)) km from \(random.letters(random.number(4...20)))",
        ]
    }

    /// Grouped by class. The first classes get no grades.
    private static let pupils = SortedFile("pupils", seed: 16, rows: 500, "number,class,name,grade,absent_days") {
        row, random in
        let level = row / 50 + 1
        return [
            "\(row + 1)", "\(level)\(row % 50 < 25 ? "a" : "b")", "Pupil \(random.letters(random.number(4...11)))",
            level < 3 ? "" : "\(random.number(1...6))", "\(random.number(0...20))",
        ]
    }

    /// Grouped by carrier.
    private static let flights = SortedFile("flights", seed: 17, rows: 4_000, "id,carrier,origin,delay,cancelled") {
        row, random in
        let carrier = ["AA", "B6", "DL", "EV", "UA", "WN", "9E", "F9"][row / 500]
        return [
            "f\(row)", carrier, random.letters(1) + random.one(of: ["FK", "GA", "WR", "AX", "RD"]),
            random.once(in: 60) ? "NA" : "\(random.number(-20...180))", random.once(in: 60) ? "yes" : "no",
        ]
    }

    /// Sorted by call number. Titles have any length.
    private static let library = SortedFile("library", seed: 18, rows: 1_200, "isbn,call_number,title,language,pages") {
        row, random in
        let words = random.once(in: 25) ? random.number(10...30) : random.number(1...7)
        return [
            "978\(random.digits(10))", "QA\(row / 4).\(row % 4 + 1)",
            (0..<words).map { _ in random.letters(random.number(2...9)) }.joined(separator: " "),
            random.once(in: 70) ? random.one(of: ["la", "pl", "sv"]) : random.one(of: ["en", "de", "fr"]),
            "\(random.number(40...900))",
        ]
    }

    /// In no order. Every number has one shape.
    private static let products = SortedFile("products", seed: 19, rows: 2_000, "id,sku,colour,price,weight_pct") {
        row, random in
        [
            "p\(row * 7_919 % 2_003)", "PX-\(random.digits(4))", random.one(of: ["red", "green", "blue", "black"]),
            random.once(in: 8) ? "\(random.number(1...90)).5" : "\(random.number(1...90))",
            random.once(in: 50) ? "\(random.number(1...99)).5" : "\(random.number(1...99))",
        ]
    }

    /// Sorted by day, with days that have one digit or two.
    private static let visits = SortedFile("visits", seed: 20, rows: 900, "visit,seen,sex,code,doctor") { row, random in
        let month = (row / 75 + 9) % 12 + 1
        return [
            "\(100_000 + row)", "\(month)/\(random.number(10...28))/2024", random.one(of: ["M", "F"]),
            random.letters(1) + random.digits(2), "Dr. \(["Ito", "Ruiz", "Okafor", "Lind"][(row / 300 + row % 2) % 4])",
        ]
    }
}
