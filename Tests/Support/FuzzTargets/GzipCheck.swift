internal import CSVStream
internal import ProfileCore
internal import ProfileStore
internal import ProfileTransfer

/// Imports a compressed file. The outcome must equal the outcome for the content that zlib decompresses from the file.
/// No stored value may come from a record that is cut off.
struct GzipCheck {
    private let file: [UInt8]
    private let choices: ImportChoices
    private let isBomb: Bool

    private static let longestContent = 1 << 20

    init(_ input: [UInt8]) {
        var first = Choices(input)
        let mode = first.byte()
        var choices = ImportChoices(&first)
        choices.limitHashing(of: Array(repeating: 0x0A, count: 10))
        self.choices = choices
        isBomb = mode == 0xB0
        // A mutation of compressed bytes nearly always breaks the checksum. So half of the inputs contain the content.
        // It is compressed here. Then at most one byte is changed, and the end may be cut off.
        guard mode >= 0x80 else {
            file = first.rest
            return
        }
        let (level, flags, cut) = (first.byte(), first.byte(), first.byte())
        let damage = (position: Int(first.byte()) << 8 | Int(first.byte()), mask: first.byte())
        let content = isBomb ? Self.repeated(first.rest) : first.rest
        let middle = content.isEmpty ? 0 : Int(cut) * content.count / 256
        var file = GzipFile.member(Array(content[..<middle]), level: CInt(level % 10), flags: flags & 31)
        if cut & 1 == 1 { file += [0, 0] }
        file += GzipFile.member(Array(content[middle...]), level: CInt(level / 10 % 10), flags: flags >> 3)
        if mode & 1 == 1 { file[2 + damage.position % (file.count - 2)] ^= damage.mask }
        if mode & 2 == 2 { file.removeLast(min(damage.position % 32, file.count - 2)) }
        self.file = file
    }

    /// Repeats a few bytes to about 2 MiB, which compress to a small file. With longer content, most of the memory
    /// would be the memory of the check itself, whose store keeps all values.
    private static func repeated(_ bytes: [UInt8]) -> [UInt8] {
        guard !bytes.isEmpty else { return [] }
        return (0..<max(1, 2 * longestContent / bytes.count)).flatMap { _ in bytes }
    }

    func run() async throws {
        // The import reads a file as text if it does not begin with the gzip magic number and method 8 (Deflate).
        guard file.starts(with: [0x1F, 0x8B, 8]) else { return }
        let found = try await outcome(of: file)
        guard !isBomb, let content = GzipFile.content(of: file, limit: Self.longestContent) else { return }
        if content.isWhole {
            // A compressed file inside a compressed file is refused.
            if content.bytes.starts(with: [0x1F, 0x8B, 8]) { return }
            let expected = try await outcome(of: content.bytes)
            try require(found.stored == expected.stored, "the values are \(found.stored), and plain \(expected.stored)")
            try require(
                found.text == expected.text, "the outcome is \(found.text), and without compression \(expected.text)")
        } else {
            try require(found.error != nil, "damaged data is read: \(found.text)")
            try requireWholeRows(found.stored, of: content.bytes)
        }
    }

    private struct Outcome {
        var stored: [ReferenceStore.Bytes: ReferenceStore.Values] = [:]
        var text = ""
        var report: ImportReport?
        var error: ImportError?
    }

    private func outcome(of bytes: [UInt8]) async throws -> Outcome {
        var outcome = Outcome()
        try await choices.withStore { repository in
            do throws(ImportError) {
                outcome.report = try await ProfileImporter(repository: repository, options: choices.options)
                    .run(choices.input(bytes))
            } catch {
                outcome.error = error
                outcome.text = "\(error)"
            }
            if let report = outcome.report {
                try require(report.rows, is: report.outcomes.reduce(0, +), "the sum of \(report.outcomes)")
                if !isBomb { outcome.text = "\(report.outcomes) \(report.issues.listed) \(report.warnings)" }
            }
            if !isBomb { outcome.stored = try await repository.referenceProfiles() }
        }
        return outcome
    }

    /// Requires that all stored values come from whole records. The damage can cut off the last record before it, and
    /// the import must not store any value of this record.
    private func requireWholeRows(
        _ stored: [ReferenceStore.Bytes: ReferenceStore.Values], of content: [UInt8]
    ) throws {
        // A quote or another encoding makes the end of a record uncertain.
        guard content.allSatisfy({ $0 < 0x80 && $0 != UInt8(ascii: "\"") }), !choices.isUsed else { return }
        let lines = content.split { $0 == 0x0A || $0 == 0x0D }.dropLast()
        for values in stored.values {
            let cells = values.values.filter { !$0.isEmpty }
            try require(
                lines.contains { line in cells.allSatisfy { line.firstRange(of: $0) != nil } } || !isText(values),
                "\(values.mapValues { String(decoding: $0, as: UTF8.self) }) is in no whole line")
        }
    }

    /// Whether the values are stored as they are written.
    private func isText(_ values: ReferenceStore.Values) -> Bool {
        values["level"] == nil && choices.options.key != .rowNumber
    }
}
