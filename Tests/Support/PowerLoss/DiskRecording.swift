internal import DiskRecords
internal import ProfileTesting

/// What processes did to the files under a folder, as the library DiskFaults recorded it.
package struct DiskRecording: Sendable {
    package enum Event: Sendable {
        /// A new file; without a name if `place` is nil.
        case create(UInt64, Place?)
        case makeFolder(UInt64, Place)
        case write(UInt64, offset: Int, [UInt8])
        case truncate(UInt64, size: Int)
        case sync(UInt64)
        case link(UInt64, Place)
        case unlink(Place)
        case rename(UInt64, Place, to: Place)
        /// The process wrote this text to its standard output. From now on, a power failure must not lose the changes
        /// that the process has acknowledged.
        case acknowledge(String)
    }

    /// A name in a folder, which is given by its inode number.
    package struct Place: Hashable, Sendable {
        let folder: UInt64
        let name: String
    }

    package private(set) var events: [Event] = []

    package struct Unreadable: Error { let reason: String }

    /// Reads a file of records.
    ///
    /// - Throws: ``Unreadable`` also if a process made a call that the library cannot record.
    package init(_ path: String) throws {
        guard let bytes = SmallFile.bytes(of: path) else { throw Unreadable(reason: "\(path) cannot be read") }
        var rest = bytes[...]
        while !rest.isEmpty { events.append(try Self.event(&rest)) }
    }

    private static func event(_ bytes: inout ArraySlice<UInt8>) throws -> Event {
        let size = MemoryLayout<disk_record>.size
        guard bytes.count >= size else { throw Unreadable(reason: "a record is cut off") }
        let head = bytes.prefix(size).withUnsafeBytes { $0.loadUnaligned(as: disk_record.self) }
        bytes.removeFirst(size)
        let nameSize = Int(head.name_size)
        let dataSize = Int(head.data_size)
        guard bytes.count >= nameSize + dataSize else { throw Unreadable(reason: "a record is cut off") }
        let name = String(decoding: bytes.prefix(nameSize), as: UTF8.self)
        let data = Array(bytes.dropFirst(nameSize).prefix(dataSize))
        bytes.removeFirst(nameSize + dataSize)
        let place = Place(folder: head.folder, name: name)
        switch disk_record_kind(head.kind) {
        case DISK_RECORD_CREATE: return .create(head.inode, name.isEmpty ? nil : place)
        case DISK_RECORD_FOLDER: return .makeFolder(head.inode, place)
        case DISK_RECORD_WRITE: return .write(head.inode, offset: Int(head.offset), data)
        case DISK_RECORD_TRUNCATE: return .truncate(head.inode, size: Int(head.offset))
        case DISK_RECORD_SYNC: return .sync(head.inode)
        case DISK_RECORD_LINK: return .link(head.inode, place)
        case DISK_RECORD_UNLINK: return .unlink(place)
        case DISK_RECORD_RENAME:
            return .rename(
                head.inode, place, to: Place(folder: head.offset, name: String(decoding: data, as: UTF8.self)))
        case DISK_RECORD_OUTPUT: return .acknowledge(String(decoding: data, as: UTF8.self))
        default: throw Unreadable(reason: "\(String(decoding: data, as: UTF8.self)) cannot be recorded")
        }
    }
}
