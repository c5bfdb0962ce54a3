import Glibc
import ProfileCore
import ProfileStore

/// Imports a file in a process of its own, for tests that kill it or look at its memory.
///
///     ImportExerciser STORE FILE [--skip | --update] [--exclusive] [--ndjson] [--names]
///
/// Says how many rows it has stored after every batch, one number a line, and at the end
/// `done IMPORTED UPDATED SKIPPED REJECTED PEAK`, the peak of its resident memory in KiB. `--names` makes a missing
/// store with a schema of names alone.
let arguments = Array(CommandLine.arguments.dropFirst())
guard arguments.count >= 2 else { exit(64) }

setvbuf(stdout, nil, _IOLBF, 0)
var options = ImportOptions()
if arguments.contains("--skip") { options.duplicates = .skip }
if arguments.contains("--update") { options.duplicates = .update }
options.isExclusive = arguments.contains("--exclusive")
if arguments.contains("--ndjson") { options.format = .ndjson }

var storeOptions = ProfileRepository.Options()
storeOptions.createsMissing = true
storeOptions.now = { Timestamp(millisecondsSince1970: 1_767_225_600_000) }
if arguments.contains("--names") {
    storeOptions.initialSchema = try ProfileSchema(
        parsing: """
            {"name": "names", "fields": [
              {"name": "username", "constraints": {"required": true, "unique": true, "minLength": 2, "maxLength": 20}},
              {"name": "note"}
            ]}
            """)
}

let input = arguments[1] == "-" ? 0 : open(arguments[1], O_RDONLY | O_CLOEXEC)
guard input >= 0 else { exit(66) }
let repository = try await ProfileRepository.open(at: arguments[0], options: storeOptions)
let report = try await ProfileImporter(repository: repository, options: options).run(
    ImportInput(descriptor: input, name: arguments[1], byteCount: nil)
) { print($0.rows - $0.rejected) }
await repository.close()
print("done", report.imported, report.updated, report.skipped, report.rejected, peakOfResidentMemory())

/// `VmHWM` of proc(5), in KiB.
func peakOfResidentMemory() -> Int {
    guard let file = fopen("/proc/self/status", "re") else { return -1 }
    defer { fclose(file) }
    var line = [CChar](repeating: 0, count: 256)
    while fgets(&line, Int32(line.count), file) != nil {
        let text = String(decoding: line.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        if text.hasPrefix("VmHWM:") { return text.split(whereSeparator: { !$0.isNumber }).first.flatMap { Int($0) } ?? -1 }
    }
    return -1
}
