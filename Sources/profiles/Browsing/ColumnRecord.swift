internal import Platform
internal import ProfileCore
internal import ProfileStoreSQLite
internal import SecretHashing
internal import TerminalUI

/// Remembers the columns that a user has chosen for the table of a store.
///
/// The record is a JSON file in the user's state directory. Each store has its own file, so two stores never overwrite each
/// other's record. The user can go on without the record: if it cannot be read or is damaged, the table has its usual
/// columns, and if it cannot be written, the columns are forgotten.
struct ColumnRecord: Sendable {
    /// The place of the store: the resolved path of its file, or the address of a database.
    private let place: String

    init(ofStore place: String) { self.place = place }

    private static let folder = "columns"
    /// The maximum size of a record. The record for a schema with a thousand fields is smaller.
    private static let mostBytes = 1 << 20

    /// The name of the file. It is a hash of the place, because a place may be too long for a file name.
    private var name: String { SHA256.hexadecimal(Array(place.utf8).span) + ".json" }

    func read() -> ColumnArrangement? {
        guard let folder = StateFolder.path else { return nil }
        let path = "\(folder)/\(Self.folder)/\(name)"
        var status = stat()
        // Opening a pipe would wait for its writer.
        guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        do throws(CommandFailure) {
            let file = try InputFile(path)
            return try file.withContents(limit: Self.mostBytes) { bytes throws(CommandFailure) in
                (try? JSONValue(parsing: bytes)).flatMap { ColumnArrangement($0) }
            }
        } catch {
            return nil
        }
    }

    func write(_ arrangement: ColumnArrangement) {
        guard let folder = StateFolder.make(Self.folder) else { return }
        var members = [JSONMember("store", .string(place))]
        members += [
            JSONMember("order", .array(arrangement.order.map(JSONValue.string))),
            JSONMember("hidden", .array(arrangement.hidden.sorted().map(JSONValue.string))),
            JSONMember(
                "widths",
                .object(arrangement.widths.sorted { $0.key < $1.key }.map { JSONMember($0.key, .number($0.value)) })),
        ]
        try? PrivateFile.write(
            JSONValue.object(members).text(indented: true) + "\n", to: "\(folder)/\(name)", replacing: true,
            sparing: FilePlaces())
    }
}

extension ColumnArrangement {
    /// Returns nil if the JSON does not have the form that ``ColumnRecord`` writes.
    fileprivate init?(_ json: JSONValue) {
        guard case .object(let widths)? = json["widths"], let order = json["order"]?.strings,
            let hidden = json["hidden"]?.strings
        else { return nil }
        self.init()
        self.order = order
        self.hidden = Set(hidden)
        for member in widths {
            guard case .number(let text) = member.value, let width = Int(text), width > 0 else { return nil }
            self.widths[member.name] = width
        }
    }
}

extension JSONValue {
    /// The strings of an array; nil if the value is not an array of strings.
    fileprivate var strings: [String]? {
        guard case .array(let values) = self else { return nil }
        let strings = values.compactMap { if case .string(let text) = $0 { text } else { nil } }
        return strings.count == values.count ? strings : nil
    }
}
