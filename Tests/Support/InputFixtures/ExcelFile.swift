/// Excel workbooks whose parts a test writes.
package struct ExcelFile {
    /// The XML inside `sheetData` of each sheet, and what follows it.
    package var sheets: [(name: String, data: String, rest: String)]
    /// The attributes of `workbookPr`.
    package var properties = ""
    /// The XML of each shared string, inside `si`.
    package var strings: [String] = []
    /// The numbers of the formats of the cell styles.
    package var formats: [Int] = []
    /// The codes of formats that the workbook defines.
    package var codes: [Int: String] = [:]
    /// Other parts, which replace those of the same name.
    package var parts: [String: String] = [:]

    package init(_ data: String, rest: String = "") { sheets = [("Sheet1", data, rest)] }

    package init(rows: [[String]]) {
        self.init(
            rows.map { row in
                "<row>"
                    + row.map { "<c t=\"inlineStr\"><is><t xml:space=\"preserve\">\(Self.escaped($0))</t></is></c>" }
                    .joined()
                    + "</row>"
            }.joined())
    }

    /// The text as it stands in XML.
    package static func escaped(_ text: String) -> String {
        // A parser reads a carriage return as a line feed, so spreadsheet programs write an escape of their own.
        text.replacing("_", with: "_x005F_").replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(
            ">", with: "&gt;"
        )
        .unicodeScalars.map { $0 == "\r" ? "_x000D_" : String($0) }.joined()
    }

    package func bytes() throws -> [UInt8] {
        let types = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
        func relationships(_ targets: [(id: String, type: String, path: String)]) -> String {
            "<Relationships>"
                + targets.map { "<Relationship Id=\"\($0.id)\" Type=\"\(types)/\($0.type)\" Target=\"\($0.path)\"/>" }
                .joined()
                + "</Relationships>"
        }
        let numbers = sheets.indices.map { $0 + 1 }
        var parts: [(String, String)] = [
            ("[Content_Types].xml", "<Types/>"),
            ("_rels/.rels", relationships([("r", "officeDocument", "xl/workbook.xml")])),
            (
                "xl/workbook.xml",
                "<workbook xmlns:r=\"x\"><workbookPr \(properties)/><sheets>"
                    + zip(sheets, numbers).map { "<sheet name=\"\($0.name)\" sheetId=\"\($1)\" r:id=\"s\($1)\"/>" }
                    .joined()
                    + "</sheets></workbook>"
            ),
            (
                "xl/_rels/workbook.xml.rels",
                relationships(
                    numbers.map { ("s\($0)", "worksheet", "worksheets/tab\($0).xml") } + [
                        ("t", "sharedStrings", "/xl/sharedStrings.xml"), ("u", "styles", "styles.xml"),
                    ])
            ),
            (
                "xl/styles.xml",
                "<styleSheet><numFmts>"
                    + codes.sorted { $0.key < $1.key }.map {
                        "<numFmt numFmtId=\"\($0.key)\" formatCode=\"\($0.value.replacing("\"", with: "&quot;"))\"/>"
                    }.joined() + "</numFmts><cellXfs>" + formats.map { "<xf numFmtId=\"\($0)\"/>" }.joined()
                    + "</cellXfs></styleSheet>"
            ),
            ("xl/sharedStrings.xml", "<sst>" + strings.map { "<si>\($0)</si>" }.joined() + "</sst>"),
        ]
        for (sheet, number) in zip(sheets, numbers) {
            parts.append(
                (
                    "xl/worksheets/tab\(number).xml",
                    "<worksheet><sheetData>\(sheet.data)</sheetData>\(sheet.rest)</worksheet>"
                ))
        }
        for (name, content) in self.parts {
            parts.removeAll { $0.0 == name }
            parts.append((name, content))
        }
        return try ZipFile.bytes(parts.map { ($0.0, Array($0.1.utf8)) })
    }
}
