import ProfileTransfer
import SpreadsheetReading
import Testing
import Watchdog

/// Workbooks written by openpyxl 3.1, XlsxWriter 3, LibreOffice 7.4 and Gnumeric 1.12.
@Suite(.watched) struct RealWorkbookTests {
    @Test func `dates, numbers, booleans and texts of openpyxl are read by their meaning`() throws {
        let sheet = try SheetText(SheetText.bytes(ofFile: "openpyxl.xlsx"))
        #expect(
            sheet.text == """
                Username,Born,Seen,At,Score,Active,Note,Formula
                ann,1990-02-28,2024-01-31T10:30:15.5,09:05:00,0.1,true,"a,b ""q""
                second line",
                bob,1900-01-01,2024-02-29T00:00:00,23:59:59,1e+21,false," spaced ",

                zoé 😀,45000.25,,36:05:00,12345678901234,,merged,
                cy,,2000-01-01T00:00:00,,0.3,,"\r",
                rich text,,,,,,,

                """)
        #expect(
            sheet.warnings == [
                .otherSheets(["Other", "Notes"]), .mergedCells(ranges: 1, line: 5), .hiddenRows(count: 1, line: 6),
                .hiddenColumns(count: 1), .formulasWithoutValue(cells: 2, line: 2),
            ])
    }

    @Test(arguments: ["libreoffice.xlsx", "libreoffice.ods"])
    func `LibreOffice stores results of formulas and errors, and both its formats hide rows`(name: String) throws {
        let sheet = try SheetText(SheetText.bytes(ofFile: name))
        let lines = sheet.text.split(separator: "\n", omittingEmptySubsequences: false)
        #expect(lines[0] == "Username,Born,Seen,At,Score,Active,Note,Formula")
        #expect(lines[1].hasPrefix("ann,1990-02-28,2024-01-31T10:30:15.5,09:05:00,0.1,"))
        #expect(lines[2] == "second line\",0.3")
        #expect(lines[3].hasSuffix(",23:59:59,1e+21,\(name.hasSuffix("ods") ? "0" : "false"),\" spaced \",#N/A"))
        #expect(lines[5] == "zoé 😀,45000.25,,36:05:00,12345678901234,,merged,")
        #expect(lines[7] == "rich text,,,,,,," && lines.count == 9)
        #expect(
            sheet.warnings == [
                .otherSheets(["Other", "Notes"]), .mergedCells(ranges: 1, line: 5), .hiddenRows(count: 1, line: 6),
                .hiddenColumns(count: 1), .errorCells(count: 1, line: 3),
            ])
    }

    @Test(arguments: ["xlsxwriter-1904.xlsx", "gnumeric-1904.xlsx"])
    func `the dates of a workbook that counts from 1904 are right`(name: String) throws {
        let sheet = try SheetText(SheetText.bytes(ofFile: name))
        #expect(
            sheet.text == """
                id,day,time,plain,rich,err
                a,2011-03-04,2011-03-04T15:30:00,1234.5,xy,#DIV/0!
                b,1904-01-02,12:00:00,true,tu,

                """)
        #expect(sheet.warnings == [.errorCells(count: 1, line: 2)])
    }

    @Test func `a sheet of Gnumeric is found by its name, in a workbook that shows another first`() throws {
        let bytes = try SheetText.bytes(ofFile: "gnumeric.ods")
        #expect(try SheetText(bytes, sheet: "Notes").text == "Notes\n")
        #expect(try SheetText(bytes, sheet: "Notes").warnings.isEmpty)
        #expect(try SheetText(bytes, sheet: "People").text.hasPrefix("Username,Born,Seen"))
    }

    @Test func `an encrypted workbook is refused as such`() throws {
        #expect(try SheetText.refusal(of: SheetText.bytes(ofFile: "encrypted.xlsx")) == .encrypted)
    }
}
