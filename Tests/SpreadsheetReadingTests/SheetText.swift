import CSVStream
import InputFixtures
import Platform
import ProfileTesting
import ProfileTransfer
import SpreadsheetReading

/// The rows of a sheet as CSV, and what was unusual.
struct SheetText {
    let text: String
    let warnings: [InputWarning]

    init(_ input: ImportInput) throws {
        let reading = try InputReading(input)
        let sheet = try reading.sheet?.isSheet() ?? false
        var bytes: [UInt8] = []
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 100_000, alignment: 1)
        defer { buffer.deallocate() }
        while true {
            let count = try reading.source.read(buffer)
            if count == 0 { break }
            bytes += buffer[..<count]
        }
        text = sheet ? String(decoding: bytes, as: UTF8.self) : "not a sheet"
        warnings = reading.sheet?.warnings ?? []
    }

    init(_ bytes: [UInt8], sheet: String? = nil, headerRow: Int? = nil) throws {
        try self.init(
            try ImportInput(bytes: bytes, name: "test").readingSheet(named: sheet, headerRow: headerRow, keptIn: "/tmp")
        )
    }

    init(_ file: ExcelFile, sheet: String? = nil, headerRow: Int? = nil) throws {
        try self.init(file.bytes(), sheet: sheet, headerRow: headerRow)
    }

    /// A file that a spreadsheet program or library has written.
    static func bytes(ofFile name: String) throws -> [UInt8] {
        let folder = "/" + #filePath.split(separator: "/").dropLast().joined(separator: "/")
        guard let bytes = SmallFile.bytes(of: "\(folder)/Files/\(name)") else { throw SystemError("read \(name)") }
        return bytes
    }

    /// The reason that bytes cannot be read as a sheet; nil if they can.
    static func refusal(of bytes: [UInt8], sheet: String? = nil) throws -> SpreadsheetError? {
        do {
            _ = try SheetText(bytes, sheet: sheet)
            return nil
        } catch let error as ByteStreamError {
            guard let cause = error.cause as? SpreadsheetError else { throw error }
            return cause
        } catch ImportError.readingStream(let failure) {
            guard let cause = failure.error as? SpreadsheetError else { throw failure }
            return cause
        }
    }
}
