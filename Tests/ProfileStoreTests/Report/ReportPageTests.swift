import Glibc
import ProfileStore
import Testing

@Suite struct ScreenshotTests {
    @Test func write() {
        var report = sampleImport()
        let kinds = [("username", "duplicate", "Username is the same as in line 7", "skboard"), ("address", "bad_character", "Address may hold ASCII letters, ASCII digits and spaces only", "12 Main St., Apt. #4 at the very long avenue of trees and other things that grow"), ("birthday", "bad_date", "Birthday is no day of the calendar", "1998-02-30"), ("postal_code", "too_short", "Postal code should have at least 5 characters", "123"), ("phone", "bad_format", "Phone should look like ####-####", "abc")]
        for i in 0..<640 { let k = kinds[i * i % 11 % 5]; report.add(i + 90, i + 88, k.0, k.1, k.2, k.3) }
        write(Array(report.rendered(as: .html).utf8), to: "/tmp/report-shots/import.html")
        write(Array(report.rendered(as: .text).utf8.prefix(3000)), to: "/tmp/report-shots/import.txt")
        write(Array(sampleRevalidation().rendered(as: .html).utf8), to: "/tmp/report-shots/revalidation.html")
        print(sampleImport().summary(examples: 3))
        print(sampleRevalidation().summary())
        print(sampleRevalidation().rendered(as: .json))
        print(sampleImport().rendered(as: .csv))
    }
    func write(_ bytes: [UInt8], to path: String) { let f = fopen(path, "we")!; fwrite(bytes, 1, bytes.count, f); fclose(f) }
}
