import ProfileTesting
import Testing

/// A file that imitates real files of its field, with the labels that a person gave its columns.
struct FileOfTheWorld: Sendable, CustomTestStringConvertible {
    let name: String
    let bytes: [UInt8]
    /// The labels by header, in the form of `ColumnProposal.label`.
    let labels: [String: String]
    /// The header of the key; nil where there is none.
    let key: String?
    /// The number of rows that every schema refuses.
    let refused: Int

    var testDescription: String { name }
}

/// Makes the files, which are the same in every run.
enum FilesOfTheWorld {
    static let all = [
        invoices, penguins, airports, stops, films, voters, visits, subscribers, survey, accounts,
    ]

    /// Bookkeeping in German: semicolons, Windows-1252, decimal commas, days first.
    static let invoices: FileOfTheWorld = {
        var random = SeededGenerator(seed: 1)
        var text = "Kundennummer;Firma;Straße;PLZ;Ort;Betrag;Buchungsdatum;Bezahlt\r\n"
        for row in 0..<200 {
            let firm = random.one(of: ["Müller GmbH", "Bäckerei Weiß", "Öko & Söhne", "Groß KG", "Süd AG"])
            let street = random.one(of: ["Königsallee", "Hauptstraße", "Am Mühlbach"]) + " \(random.number(1...120))"
            let amount = "\(random.number(1...999)).\(random.digits(3)),\(random.digits(2))"
            text += "\(10_000 + row * 7);\(firm) \(row);\(street);0\(random.digits(4));"
            text += "\(random.one(of: ["Köln", "Jena", "Görlitz", "Halle"]));\(amount);"
            text += "\(random.day(in: .dotted));\(random.one(of: ["ja", "nein"]))\r\n"
        }
        return FileOfTheWorld(
            name: "invoices", bytes: text.latin1,
            labels: [
                "Kundennummer": "key string", "Firma": "string organization", "Straße": "string street-address",
                "PLZ": "string postal-code", "Ort": "string address-level2", "Betrag": "number ,.",
                "Buchungsdatum": "date dd.MM.yyyy", "Bezahlt": "boolean",
            ],
            key: "Kundennummer", refused: 0)
    }()

    /// Biology, written by R: NA wherever there is nothing, and no column that tells the animals apart.
    static let penguins: FileOfTheWorld = {
        var random = SeededGenerator(seed: 2)
        var text = "studyName,Sample Number,Species,Island,Individual ID,Clutch Completion,Date Egg,"
        text += "Culmen Length (mm),Body Mass (g),Sex,Comments\n"
        for row in 0..<300 {
            let species = random.one(of: ["Adelie Penguin (Pygoscelis adeliae)", "Gentoo penguin (Pygoscelis papua)"])
            text += "PAL\(["0708", "0809", "0910"][row / 100]),\(row % 100 + 1),\(species),"
            text += "\(random.one(of: ["Torgersen", "Biscoe", "Dream"])),N\(row % 150 / 2 + 1)A\(row % 2 + 1),"
            text += "\(random.one(of: ["Yes", "No"])),\(random.day(in: .iso)),"
            text +=
                random.once(in: 40)
                ? "NA,NA," : "\(random.number(32...59)).\(random.digits(1)),\(random.number(27...63))00,"
            text += "\(random.once(in: 30) ? "NA" : random.one(of: ["MALE", "FEMALE"])),"
            text += "\(random.once(in: 8) ? "Nest \(row), never observed with full clutch." .quotedCell : "NA")\n"
        }
        return FileOfTheWorld(
            name: "penguins", bytes: Array(text.utf8),
            labels: [
                "studyName": "choice", "Sample Number": "integer", "Species": "choice", "Island": "choice",
                "Individual ID": "string", "Clutch Completion": "boolean", "Date Egg": "date yyyy-MM-dd",
                "Culmen Length (mm)": "number", "Body Mass (g)": "integer", "Sex": "choice sex", "Comments": "string",
            ],
            key: nil, refused: 0)
    }()

    /// Airports: NA is North America, all texts are quoted, and there are addresses of web pages.
    static let airports: FileOfTheWorld = {
        var random = SeededGenerator(seed: 3)
        var text =
            "\"id\",\"ident\",\"type\",\"name\",\"latitude_deg\",\"longitude_deg\",\"elevation_ft\",\"continent\","
        text += "\"iso_country\",\"scheduled_service\",\"iata_code\",\"home_link\"\n"
        for row in 0..<250 {
            let type = random.one(of: ["heliport", "small_airport", "closed", "large_airport"])
            let place = random.one(of: [
                ("NA", "US"), ("NA", "CA"), ("EU", "DE"), ("SA", "BR"), ("AF", "NA"), ("OC", "AU"),
            ])
            text += "\(6_500 + row),\"\(random.letters(1))\(row + 1_000)\",\"\(type)\","
            text += "\"\(random.one(of: ["Total \"\"RF\"\"", "Lowell, Field", "Aéroport de Tré"])) \(row)\","
            text += "\(random.number(-60...60)).\(random.digits(9)),\(random.number(-179...179)).\(random.digits(6)),"
            text += random.once(in: 9) ? "," : "\(random.number(-40...9_000)),"
            text += "\"\(place.0)\",\"\(place.1)\",\"\(random.one(of: ["yes", "no"]))\","
            text += random.once(in: 3) ? "\"\(random.letters(3))\"," : ","
            text += random.once(in: 5) ? "\"https://www.example.org/ap/\(row)?a=1,2\"\n" : "\n"
        }
        return FileOfTheWorld(
            name: "airports", bytes: Array(text.utf8),
            labels: [
                "id": "key string", "ident": "string", "type": "choice", "name": "string name",
                "latitude_deg": "number",
                "longitude_deg": "number", "elevation_ft": "integer", "continent": "choice", "iso_country": "choice",
                "scheduled_service": "boolean", "iata_code": "string", "home_link": "uri url",
            ],
            key: "id", refused: 0)
    }()

    /// Public transport (GTFS): a byte order mark, CR LF, codes with leading zeros, columns without any value.
    static let stops: FileOfTheWorld = {
        var random = SeededGenerator(seed: 4)
        var text =
            "\u{FEFF}stop_id,stop_code,stop_name,stop_lat,stop_lon,zone_id,stop_url,location_type,first_departure\r\n"
        for row in 0..<300 {
            text += "de:\(random.digits(5)):\(row),\("0000\(row)".suffix(5)),"
            text += "\(random.one(of: ["Bahnhof Süd", "Rathaus", "Zoo, Eingang".quotedCell])),"
            text += "4\(random.digits(1)).\(random.digits(5)),\(random.number(6...13)).\(random.digits(5)),"
            text += "\(random.number(1...9)),,\(random.number(0...1)),\(random.time())\r\n"
        }
        return FileOfTheWorld(
            name: "stops", bytes: Array(text.utf8),
            labels: [
                "stop_id": "key string", "stop_code": "string", "stop_name": "choice", "stop_lat": "number",
                "stop_lon": "number", "zone_id": "integer", "stop_url": "string", "location_type": "integer",
                "first_departure": "time",
            ],
            key: "stop_id", refused: 0)
    }()

    /// Films: tabs, `\N` for what is missing, years, titles with quotes in the middle.
    static let films: FileOfTheWorld = {
        var random = SeededGenerator(seed: 5)
        var text = "tconst\ttitleType\tprimaryTitle\tisAdult\tstartYear\tendYear\truntimeMinutes\tgenres\n"
        for row in 0..<300 {
            text += "tt\("000000\(row * 13)".suffix(7))\t\(random.one(of: ["short", "movie", "tvEpisode"]))\t"
            text += "\(random.one(of: ["Le \"grand\" jour", "Łódź by night", "Carmencita"])) \(row)\t"
            text += "\(random.number(0...1))\t\(random.number(1894...2024))\t"
            text += "\(random.once(in: 4) ? "\(random.number(1950...2024))" : "\\N")\t"
            text += "\(random.once(in: 5) ? "\\N" : "\(random.number(1...240))")\t"
            text += "\(random.one(of: ["Comedy,Short", "Drama", "Documentary", "\\N"]))\n"
        }
        return FileOfTheWorld(
            name: "films", bytes: Array(text.utf8),
            labels: [
                "tconst": "key string", "titleType": "choice", "primaryTitle": "string", "isAdult": "boolean",
                "startYear": "year", "endYear": "year", "runtimeMinutes": "integer", "genres": "choice",
            ],
            key: "tconst", refused: 0)
    }()

    /// A register of voters: postal codes with leading zeros, months first, phones of one shape.
    static let voters: FileOfTheWorld = {
        var random = SeededGenerator(seed: 6)
        var text = "Voter ID,Last Name,First Name,Zip,Phone,Birth Date,Active,Precinct\n"
        for row in 0..<400 {
            text += "VT\(1_000_000 + row),\(random.one(of: ["O'Brien", "Núñez", "Smith-Jones", "Null", "Lee"])),"
            text += "\(random.one(of: ["Ann", "José", "Mary Lou"])),0\(random.digits(4)),"
            text += random.once(in: 6) ? "N/A," : "802-\(random.digits(3))-\(random.digits(4)),"
            text += "\(random.day(in: .monthFirst)),\(random.one(of: ["Y", "N"])),0\(random.digits(2))\n"
        }
        return FileOfTheWorld(
            name: "voters", bytes: Array(text.utf8),
            labels: [
                "Voter ID": "key string", "Last Name": "string family-name", "First Name": "string given-name",
                "Zip": "string postal-code", "Phone": "mask ###-###-#### tel", "Birth Date": "date MM/dd/yyyy bday",
                "Active": "boolean", "Precinct": "string",
            ],
            key: "Voter ID", refused: 0)
    }()

    /// A medical practice: one column of dates proves that the day comes first, and another column is ambiguous. Some
    /// rows have a cell too many.
    static let visits: FileOfTheWorld = {
        var random = SeededGenerator(seed: 7)
        var text = "visit_id|patient|admitted|reviewed|temperature|note\n"
        for row in 0..<220 {
            text += "\(row + 1)|P\(random.digits(4))|\(random.day(in: .dayFirst))|"
            text += "0\(random.number(1...9))/0\(random.number(1...9))/2023|"
            text +=
                "\(random.number(35...41)).\(random.digits(1))|\(random.once(in: 5) ? "-" : "seen by \(random.letters(5))")"
            text += row % 50 == 10 ? "|surplus\n" : "\n"
        }
        return FileOfTheWorld(
            name: "visits", bytes: Array(text.utf8),
            labels: [
                "visit_id": "key string", "patient": "mask P####", "admitted": "date dd/MM/yyyy",
                "reviewed": "mask ##/##/####", "temperature": "number", "note": "string",
            ],
            key: "visit_id", refused: 5)
    }()

    /// A newsletter: a few addresses occur twice with different capitals, and one row has no address.
    static let subscribers: FileOfTheWorld = {
        var random = SeededGenerator(seed: 8)
        var text = "Full Name,E-Mail,Signed Up,Plan,Score\n"
        for row in 0..<500 {
            let address = row % 200 == 199 ? "PERSON\(row - 1)@Example.org" : "person\(row)@example.org"
            text += "\(random.one(of: ["Ada", "Émile", "Bo"])) \(random.letters(6)),\(row == 77 ? "" : address),"
            text += "\(random.day(in: .iso)) \(random.time()),\(random.one(of: ["free", "paid"])),"
            text += "\(random.number(0...9)).\(random.digits(1))\n"
        }
        return FileOfTheWorld(
            name: "subscribers", bytes: Array(text.utf8),
            labels: [
                "Full Name": "string name", "E-Mail": "key email", "Signed Up": "datetime",
                "Plan": "choice", "Score": "number",
            ],
            key: "E-Mail", refused: 3)
    }()

    /// A survey of sixty columns.
    static let survey: FileOfTheWorld = {
        var random = SeededGenerator(seed: 9)
        let questions = (1...54).map { "Q\($0)" }
        let header = ["respondent_id", "started_at", "country", "year_of_birth"] + questions + ["consent", "comment"]
        var text = header.joined(separator: ",") + "\n"
        for row in 0..<120 {
            var cells = ["\(200_000 + row)", "\(random.day(in: .iso))T\(random.time())Z"]
            cells += [random.one(of: ["DE", "FR", "NO", "IT"]), "\(random.number(1940...2005))"]
            cells += questions.map { _ in random.once(in: 12) ? "" : "\(random.number(1...5))" }
            cells += [random.one(of: ["TRUE", "FALSE"]), random.once(in: 3) ? "fine, mostly".quotedCell : ""]
            text += cells.joined(separator: ",") + "\n"
        }
        var labels = [
            "respondent_id": "key string", "started_at": "datetime", "country": "choice country-name",
            "year_of_birth": "year", "consent": "boolean", "comment": "string",
        ]
        for question in questions { labels[question] = "integer" }
        return FileOfTheWorld(
            name: "survey", bytes: Array(text.utf8), labels: labels, key: "respondent_id", refused: 0)
    }()

    /// Accounts of another program: hashes, names that are reserved or differ by an underscore alone.
    static let accounts: FileOfTheWorld = {
        var random = SeededGenerator(seed: 10)
        var text = "id,login,hashed_password,status,token_uuid,first_name,firstname,balance\n"
        for row in 0..<150 {
            let salt = random.letters(22).lowercased()
            text += "\(row),user\(row),$2b$12$\(salt.dropLast())u\(random.letters(30))u,"
            text += "\(random.one(of: ["open", "locked"])),\(random.uuid()),Ann\(row),A,-\(random.number(0...99)).50\n"
        }
        return FileOfTheWorld(
            name: "accounts", bytes: Array(text.utf8),
            labels: [
                "id": "integer", "login": "key string username", "hashed_password": "hash", "status": "choice",
                "token_uuid": "uuid", "first_name": "string given-name", "firstname": "string given-name",
                "balance": "number",
            ],
            key: "login", refused: 0)
    }()
}

enum DayOrder { case iso, dotted, dayFirst, monthFirst }

extension SeededGenerator {
    mutating func one<Value>(of values: [Value]) -> Value { values[Int.random(in: values.indices, using: &self)] }

    mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &self) }

    mutating func digits(_ count: Int) -> String { (0..<count).map { _ in String(number(0...9)) }.joined() }

    mutating func letters(_ count: Int) -> String {
        String((0..<count).map { _ in one(of: Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ")) })
    }

    mutating func time() -> String {
        [number(0...23), number(0...59), number(0...59)].map { ($0 < 10 ? "0" : "") + String($0) }.joined(
            separator: ":")
    }

    mutating func uuid() -> String {
        [8, 4, 4, 4, 12].map { count in String((0..<count).map { _ in one(of: Array("0123456789abcdef")) }) }
            .joined(separator: "-")
    }

    mutating func day(in order: DayOrder) -> String {
        let year = String(number(1950...2023))
        let month = ("0" + String(number(1...12))).suffix(2)
        let day = ("0" + String(number(1...28))).suffix(2)
        return switch order {
        case .iso: "\(year)-\(month)-\(day)"
        case .dotted: "\(day).\(month).\(year)"
        case .dayFirst: "\(day)/\(month)/\(year)"
        case .monthFirst: "\(month)/\(day)/\(year)"
        }
    }
}

extension String {
    var quotedCell: String { "\"\(self)\"" }

    /// Each character in one byte, as ISO 8859-1 has it.
    var latin1: [UInt8] { unicodeScalars.map { UInt8($0.value) } }
}
