internal import Platform
internal import SQLiteAccess

/// A set of files. The set can also contain files that do not exist yet.
///
/// An existing file is identified by its device and inode number. Every file is also identified by its name and by the
/// device and inode number of its folder. So the set recognizes a file even if two paths to it differ in their
/// spelling, links or mounts. The set contains only regular files and missing files, never a terminal or a pipe.
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

    /// All files of the store at a path, including the files that SQLite creates and removes while it runs.
    package init(ofStore path: String) {
        // SQLite and the write lock resolve symbolic links before they append `-wal`, `-lock` and the other endings.
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
