internal import Platform
internal import ProfileTesting

/// The files under a folder: their durable contents, and the later changes that were not synced.
///
/// The model is that of POSIX, which promises less than the usual file systems do. `fsync` of a file makes its bytes
/// and its size durable, but not its name. `fsync` of a folder makes the names in it durable. Until then each change
/// of a name and each sector of 512 bytes may have reached the disk or not, in any order. A sector is never torn, and
/// neither is a rename.
package struct Disk: Sendable {
    /// The identity of a file or folder. The system uses an inode number again, but an identity is used only once.
    typealias ID = Int

    struct File {
        var synced: [UInt8] = []
        var current: [UInt8] = []
        var pending: [Change] = []

        enum Change {
            case write(offset: Int, [UInt8])
            case truncate(Int)

            func apply(to bytes: inout [UInt8]) {
                switch self {
                case .truncate(let size):
                    if size < bytes.count {
                        bytes.removeLast(bytes.count - size)
                    } else {
                        bytes += repeatElement(0, count: size - bytes.count)
                    }
                case .write(let offset, let new):
                    if bytes.count < offset + new.count {
                        bytes += repeatElement(0, count: offset + new.count - bytes.count)
                    }
                    bytes.replaceSubrange(offset..<offset + new.count, with: new)
                }
            }
        }
    }

    struct Folder {
        var synced: [String: ID] = [:]
        var current: [String: ID] = [:]
        var pending: [Change] = []

        enum Change {
            case set(String, ID)
            case remove(String)
            case rename(String, to: String, ID)

            func apply(to names: inout [String: ID]) {
                switch self {
                case .set(let name, let id): names[name] = id
                case .remove(let name): names[name] = nil
                case .rename(let name, let new, let id):
                    names[name] = nil
                    names[new] = id
                }
            }
        }
    }

    private(set) var files: [ID: File] = [:]
    private(set) var folders: [ID: Folder] = [:]
    private var ids: [UInt64: ID] = [:]
    static let root: ID = 0
    private var latest: ID = 0

    /// Reads the files of a folder. All their present contents count as durable.
    package init(_ path: String) throws {
        folders[Self.root] = Folder()
        try add(path, as: Self.root)
    }

    private mutating func add(_ path: String, as id: ID) throws {
        ids[try Self.inode(of: path)] = id
        for name in SmallFile.names(in: path) {
            latest += 1
            let new = latest
            folders[id]?.synced[name] = new
            folders[id]?.current[name] = new
            if let bytes = SmallFile.bytes(of: "\(path)/\(name)") {
                files[new] = File(synced: bytes, current: bytes)
                ids[try Self.inode(of: "\(path)/\(name)")] = new
            } else {
                folders[new] = Folder()
                try add("\(path)/\(name)", as: new)
            }
        }
    }

    private static func inode(of path: String) throws -> UInt64 {
        var status = stat()
        guard lstat(path, &status) == 0 else { throw SystemError("lstat \(path)") }
        return UInt64(status.st_ino)
    }

    /// Whether anything is not durable.
    package var hasPending: Bool {
        folders.values.contains { !$0.pending.isEmpty } || files.values.contains { !$0.pending.isEmpty }
    }

    func isFolder(_ inode: UInt64) -> Bool { ids[inode].map { folders[$0] != nil } ?? false }

    /// Applies a recorded event. Each file that the event names must be known.
    package mutating func apply(_ event: DiskRecording.Event) throws {
        switch event {
        case .create(let inode, let place):
            latest += 1
            ids[inode] = latest
            files[latest] = File()
            if let place { try change(folder: place.folder, .set(place.name, latest)) }
        case .makeFolder(let inode, let place):
            latest += 1
            ids[inode] = latest
            folders[latest] = Folder()
            try change(folder: place.folder, .set(place.name, latest))
        case .write(let inode, let offset, let bytes): try change(file: inode, .write(offset: offset, bytes))
        case .truncate(let inode, let size): try change(file: inode, .truncate(size))
        case .sync(let inode):
            let id = try id(inode)
            if var file = files.removeValue(forKey: id) {
                (file.synced, file.pending) = (file.current, [])
                files[id] = file
            }
            if var folder = folders.removeValue(forKey: id) {
                (folder.synced, folder.pending) = (folder.current, [])
                folders[id] = folder
            }
        case .link(let inode, let place): try change(folder: place.folder, .set(place.name, id(inode)))
        case .unlink(let place): try change(folder: place.folder, .remove(place.name))
        case .rename(let inode, let place, let new):
            let id = try id(inode)
            if place.folder == new.folder {
                try change(folder: place.folder, .rename(place.name, to: new.name, id))
            } else {
                try change(folder: place.folder, .remove(place.name))
                try change(folder: new.folder, .set(new.name, id))
            }
        case .acknowledge: break
        }
    }

    private func id(_ inode: UInt64) throws -> ID {
        guard let id = ids[inode] else { throw DiskRecording.Unreadable(reason: "inode \(inode) is not known") }
        return id
    }

    private mutating func change(file inode: UInt64, _ change: File.Change) throws {
        let id = try id(inode)
        guard var file = files.removeValue(forKey: id) else {
            throw DiskRecording.Unreadable(reason: "inode \(inode) is no file")
        }
        change.apply(to: &file.current)
        file.pending.append(change)
        files[id] = file
    }

    private mutating func change(folder inode: UInt64, _ change: Folder.Change) throws {
        let id = try id(inode)
        guard var folder = folders.removeValue(forKey: id) else {
            throw DiskRecording.Unreadable(reason: "inode \(inode) is no folder")
        }
        change.apply(to: &folder.current)
        folder.pending.append(change)
        folders[id] = folder
    }
}
