import CSVStream
import Platform
import ProfileCore
import ProfileStore
import ProfileTransfer
import StoreFixtures

/// A temporary directory for one test, with a store in it. It is removed afterwards.
final class ExportedStore: Sendable {
    let directory: String
    let repository: ProfileRepository

    /// A schema with every type of field. A date has a single input format, which differs from the stored form.
    static let schema = """
        {"name": "people", "fields": [
          {"name": "username", "constraints": {"required": true, "unique": true}},
          {"name": "password", "profiles": {"secret": true}},
          {"name": "note"},
          {"name": "age", "type": "integer"},
          {"name": "score", "type": "number"},
          {"name": "member", "type": "boolean"},
          {"name": "since", "type": "date", "profiles": {"formats": ["dd/MM/yyyy"]}}
        ]}
        """
    static let hash = "$argon2id$v=19$m=64,t=1,p=2$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc"

    init(schema: String = ExportedStore.schema) async throws {
        var template = Array("/tmp/profile-export.XXXXXX".utf8CString)
        directory = try template.withUnsafeMutableBufferPointer { buffer in
            guard let made = buffer.baseAddress.flatMap({ mkdtemp($0) }) else {
                throw ProfileStoreError.cannotOpen("mkdtemp", code: errno)
            }
            return String(cString: made)
        }
        var options = ProfileRepository.Options()
        options.createsMissing = true
        options.initialSchema = try ProfileSchema(parsing: schema)
        options.now = { Timestamp(millisecondsSince1970: 1_767_225_600_250) }
        repository = try await StoreOpener().open(directory + "/profiles.sqlite", options)
    }

    deinit {
        for name in ["", "-wal", "-shm", "-lock"] { unlink(directory + "/profiles.sqlite" + name) }
        unlink(directory + "/export")
        rmdir(directory)
    }

    @discardableResult
    func register(_ values: [String: String]) async throws -> Profile {
        let draft = ProfileDraft(values)
        return try await repository.register(repository.validator.validate(draft, on: repository.today))
    }

    /// Exports into a file, and returns its text.
    func export(
        as format: ExportFormat, includingHashes: Bool = false, spreadsheetSafe: Bool = false
    ) async throws -> String {
        let path = directory + "/export"
        let descriptor = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        defer { close(descriptor) }
        try await repository.export(
            as: format, includingHashes: includingHashes, spreadsheetSafe: spreadsheetSafe, to: descriptor)
        return String(decoding: bytes(of: descriptor), as: UTF8.self)
    }
}

/// The chunks of an export.
func gather(_ export: ProfileExport) async throws -> [[UInt8]] {
    var chunks: [[UInt8]] = []
    for try await chunk in export { chunks.append(chunk) }
    return chunks
}

/// All bytes of an open file.
func bytes(of descriptor: Int32) -> [UInt8] {
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    lseek(descriptor, 0, SEEK_SET)
    while case let count = read(descriptor, &buffer, buffer.count), count > 0 { bytes += buffer[..<count] }
    return bytes
}

/// The cells of a CSV text, as an import reads them.
func cells(of text: String, delimiter: CSVDelimiter = .comma) throws -> [[String]] {
    var reader = CSVReader(
        options: CSVOptions(delimiter: .character(delimiter)), source: .bytes(Array(text.utf8)))
    var batch = RecordBatch()
    var rows: [[String]] = []
    while try reader.next(into: &batch) {
        for record in batch.records {
            guard record.fault == nil else { throw UnreadableRecord(line: record.line) }
            var row: [String] = []
            for cell in record.cells { row.append(String(batch.cell(cell))) }
            rows.append(row)
        }
    }
    return rows
}

struct UnreadableRecord: Error { let line: Int }
