import Glibc
import ProfileStore
import ProfileCore
@main struct ProfilesCommand {
    static func main() async throws {
        let a = CommandLine.arguments
        var o = ProfileRepository.Options(); o.createsMissing = true
        switch a[1] {
        case "import", "validate":
            let fd = open(a[2], O_RDONLY)
            let input = ImportInput(descriptor: fd, name: a[2], byteCount: nil)
            let importer: ProfileImporter
            var r: ProfileRepository?
            if a[1] == "import" { r = try await ProfileRepository.open(at: a[3], options: o); importer = ProfileImporter(repository: r!, options: ImportOptions()) } else { importer = ProfileImporter(schema: .standard, today: CalendarDay(iso: "2026-11-21")!, options: ImportOptions()) }
            let start = ContinuousClock.now
            let report = try await importer.run(input)
            print(report.summary(examples: 20))
            let mid = ContinuousClock.now
            await r?.close()
            print(mid - start, ContinuousClock.now - mid)
        case "revalidate":
            let r = try await ProfileRepository.open(at: a[2], options: o)
            print(try await r.revalidate(all: true).summary(examples: 5))
            await r.close()
        default: break
        }
    }
}
