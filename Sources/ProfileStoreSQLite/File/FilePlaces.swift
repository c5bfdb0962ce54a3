internal import Platform
internal import SQLiteAccess

/// Files, whatever they are called, and whether they are there yet.
///
/// A file that is there is known by its device and number, and any file by its name in a folder that is known in the same
/// way. So it does not matter by which spelling, link or mount it is reached. What cannot be replaced, such as a
/// terminal or a pipe, is not among them.
package struct FilePlaces: Sendable {
    private enum Place: Hashable, Sendable {
        case file(device: UInt, number: UInt)
        case name(String, device: UInt, folder: UInt)
    }

    private var places: Set<Place> = []

    package init() {}

    package init(_ paths: [String]) {
        for path in paths { insert(path) }
    }

    /// The files of the store at a path, with those that SQLite makes and removes as it goes.
    package init(ofStore path: String) {
        // SQLite, and the write lock, follow links first.
        let resolved = (try? DatabasePath(path))?.description ?? path
        self.init([path, resolved].flatMap { path in ["", "-journal", "-wal", "-shm", "-lock"].map { path + $0 } })
    }

    package mutating func insert(_ path: String) { places.formUnion(Self.places(of: path)) }

    /// Adds an open file.
    package mutating func insert(descriptor: Int32) {
        var status = stat()
        if fstat(descriptor, &status) == 0, let place = Self.file(status) { places.insert(place) }
    }

    package func union(_ others: FilePlaces) -> FilePlaces {
        var both = self
        both.places.formUnion(others.places)
        return both
    }

    package func contains(_ path: String) -> Bool { !places.isDisjoint(with: Self.places(of: path)) }

    private static func places(of path: String) -> [Place] {
        var status = stat()
        let isThere = stat(path, &status) == 0
        let file = isThere ? file(status) : nil
        if isThere, file == nil { return [] }
        return [file, name(path)].compactMap(\.self)
    }

    private static func file(_ status: stat) -> Place? {
        guard status.st_mode & S_IFMT == S_IFREG else { return nil }
        return .file(device: UInt(status.st_dev), number: UInt(status.st_ino))
    }

    private static func name(_ path: String) -> Place? {
        let slash = path.utf8.lastIndex(of: UInt8(ascii: "/"))
        let name = slash.map { String(path[path.utf8.index(after: $0)...]) } ?? path
        let folder = slash.map { String(path[...$0]) } ?? "."
        var status = stat()
        guard !name.isEmpty, stat(folder, &status) == 0 else { return nil }
        return .name(name, device: UInt(status.st_dev), folder: UInt(status.st_ino))
    }
}
