internal import CSVStream

/// The parts of an Excel workbook that are needed to read a sheet.
struct ExcelWorkbook {
    struct Sheet {
        let name: String
        let part: String
        let isHidden: Bool
    }

    /// The sheets with cells, in the order of their tabs.
    let sheets: [Sheet]
    let dates: DateSystem
    /// The parts of the shared strings and the styles; nil if the workbook has none.
    let sharedStrings: String?
    let styles: String?

    /// Reads the workbook at a part that ``part(of:)`` has returned.
    init(at part: String, of archive: ZipArchive) throws(ByteStreamError) {
        let content = WorkbookReader()
        try XMLReader.read(part, of: archive, to: content)
        guard content.isWorkbook else { throw .part(part, .unexpected) }
        let relationships = try Relationships(of: part, in: archive)
        sheets = content.sheets.compactMap { sheet in
            // Other types are sheets of charts, dialogues and macros.
            guard let target = relationships.targets[sheet.relationship], target.isType("worksheet") else { return nil }
            return Sheet(name: sheet.name, part: target.part, isHidden: sheet.isHidden)
        }
        dates = content.dates
        sharedStrings = relationships.part("sharedStrings").flatMap { archive.has($0) ? $0 : nil }
        styles = relationships.part("styles").flatMap { archive.has($0) ? $0 : nil }
    }

    /// Returns the part with the list of the sheets; nil if the archive is not an Excel workbook.
    static func part(of archive: ZipArchive) throws(ByteStreamError) -> String? {
        let relationships = "_rels/.rels"
        // An archive with this part is a workbook. If its relationships do not name a main part, it is damaged.
        let wasWorkbook = archive.has(usualPart)
        guard archive.has(relationships) else {
            if wasWorkbook { throw .part(relationships, .missing) }
            return nil
        }
        guard let part = try Relationships(of: "", in: archive).part("officeDocument") else {
            if wasWorkbook { throw .part(relationships, .unexpected) }
            return nil
        }
        if part.lowercased().hasSuffix("workbook.bin") { throw ByteStreamError(.unsupported(.binaryWorkbook)) }
        // Documents and presentations have other names for this part.
        return part.lowercased().hasSuffix("workbook.xml") || wasWorkbook ? part : nil
    }

    private static let usualPart = "xl/workbook.xml"

    /// Returns the date or time format of each cell style; nil for a style that shows neither a date nor a time.
    func timeFormats(in archive: ZipArchive) throws(ByteStreamError) -> [TimeFormat?] {
        guard let styles else { return [] }
        let reader = StylesReader()
        try XMLReader.read(styles, of: archive, to: reader)
        return reader.cellFormats.map { number in
            if let code = reader.codes[number] { return TimeFormat(code: code) }
            return TimeFormat(builtIn: number)
        }
    }
}

/// The relationships of a part to other parts (Open Packaging Conventions).
private struct Relationships {
    struct Target {
        let type: String
        let part: String

        /// The types have different beginnings in the transitional and the strict variant of the standard.
        func isType(_ name: String) -> Bool { type.hasSuffix("/relationships/" + name) }
    }

    let targets: [String: Target]

    init(of part: String, in archive: ZipArchive) throws(ByteStreamError) {
        let slash = part.lastIndex(of: "/").map { part.index(after: $0) } ?? part.startIndex
        let folder = part[..<slash]
        let reader = RelationshipsReader()
        try XMLReader.read("\(folder)_rels/\(part[slash...]).rels", of: archive, to: reader)
        targets = reader.targets.mapValues { target in
            Target(type: target.type, part: Self.resolve(target.path, from: folder))
        }
    }

    func part(_ type: String) -> String? { targets.values.first { $0.isType(type) }?.part }

    private static func resolve(_ path: String, from folder: Substring) -> String {
        let whole = path.hasPrefix("/") ? path[...] : folder + path
        var steps: [Substring] = []
        for step in whole.split(whereSeparator: { $0 == "/" || $0 == "\\" }) {
            if step == ".." { _ = steps.popLast() } else if step != "." { steps.append(step) }
        }
        return steps.joined(separator: "/")
    }
}

private final class RelationshipsReader: XMLHandler {
    private(set) var targets: [String: (type: String, path: String)] = [:]

    func start(_ name: XMLName, _ attributes: XMLAttributes) {
        guard "Relationship" ~= name, let id = attributes.string("Id"), let type = attributes.string("Type"),
            let path = attributes.string("Target"), !attributes.isEqual("TargetMode", to: "External")
        else { return }
        targets[id] = (type, path)
    }
}

private final class WorkbookReader: XMLHandler {
    private(set) var sheets: [(name: String, relationship: String, isHidden: Bool)] = []
    private(set) var dates = DateSystem.from1900
    private(set) var isWorkbook = false

    func start(_ name: XMLName, _ attributes: XMLAttributes) {
        switch name {
        case "workbook": isWorkbook = true
        case "workbookPr": if attributes.isTrue("date1904") { dates = .from1904 }
        case "sheet":
            guard let sheet = attributes.string("name"), let relationship = attributes.string("id") else { return }
            let isVisible = attributes["state"] == nil || attributes.isEqual("state", to: "visible")
            sheets.append((sheet, relationship, !isVisible))
        default: break
        }
    }
}

private final class StylesReader: XMLHandler {
    /// The codes of the formats that the workbook defines.
    private(set) var codes: [Int: String] = [:]
    /// The number of each cell style's format.
    private(set) var cellFormats: [Int] = []
    private var isInCellFormats = false

    func start(_ name: XMLName, _ attributes: XMLAttributes) {
        switch name {
        case "numFmt":
            // Only the first format with a number is kept. The styles of conditional formats, which come later in the
            // part, may define another format with the same number.
            guard let number = attributes.number("numFmtId"), let code = attributes.string("formatCode"),
                codes[number] == nil
            else { return }
            codes[number] = code
        case "cellXfs": isInCellFormats = true
        case "xf": if isInCellFormats { cellFormats.append(attributes.number("numFmtId") ?? 0) }
        default: break
        }
    }

    func end(_ name: XMLName) -> Bool {
        if "cellXfs" ~= name { isInCellFormats = false }
        return false
    }
}
