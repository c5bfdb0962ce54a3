internal import Platform
package import ProfileTesting

/// The contents of a disk after a power failure: the bytes of each file, by its path relative to the recorded folder.
/// The path of a folder ends in `/`, and its bytes are empty.
package struct CrashImage: Hashable, Sendable {
    package private(set) var files: [String: [UInt8]] = [:]

    /// The changes that the power failure loses, among the changes that were not synced.
    package enum Loss: Sendable {
        /// All of them are lost.
        case everything
        /// No change is lost, as if the process was killed without a power failure.
        case nothing
        /// Each sector and each name is old or new.
        case some(SeededGenerator)
    }

    package init(_ disk: Disk, losing loss: Loss) {
        var builder = Builder(disk: disk, loss: loss)
        builder.add(Disk.root, "", to: &files)
    }

    /// Writes the files into an empty folder.
    package func write(to folder: String) throws {
        for (path, bytes) in files.sorted(by: { $0.key < $1.key }) {
            if path.hasSuffix("/") {
                guard mkdir("\(folder)/\(path)", 0o700) == 0 else { throw SystemError("mkdir \(path)") }
            } else {
                try SmallFile.write(bytes, to: "\(folder)/\(path)")
            }
        }
    }

    /// A hash of all files except lock files, whose contents are for messages only.
    var hashWithoutLocks: Int { files.filter { !$0.key.hasSuffix("-lock") }.hashValue }

    private struct Builder {
        let disk: Disk
        var loss: Loss
        static let sector = 512

        mutating func add(_ id: Disk.ID, _ path: String, to files: inout [String: [UInt8]]) {
            guard let folder = disk.folders[id] else { return }
            for (name, id) in names(of: folder).sorted(by: { $0.key < $1.key }) {
                if let file = disk.files[id] {
                    // This file is shared memory, which a power failure deletes. SQLite rebuilds it.
                    if !name.hasSuffix("-shm") { files[path + name] = bytes(of: file) }
                } else {
                    files[path + name + "/"] = []
                    add(id, path + name + "/", to: &files)
                }
            }
        }

        private mutating func names(of folder: Disk.Folder) -> [String: Disk.ID] {
            guard case .some(var generator) = loss else {
                if case .everything = loss { return folder.synced }
                return folder.current
            }
            defer { loss = .some(generator) }
            var names = folder.synced
            switch Int.random(in: 0..<4, using: &generator) {
            case 0: return names
            case 1: return folder.current
            case 2:
                // In order, as a file system with a journal writes them.
                let count = Int.random(in: 0...folder.pending.count, using: &generator)
                for change in folder.pending.prefix(count) { change.apply(to: &names) }
            default:
                for change in folder.pending where generator.once(in: 2) { change.apply(to: &names) }
            }
            return names
        }

        private mutating func bytes(of file: Disk.File) -> [UInt8] {
            guard case .some(var generator) = loss else {
                if case .everything = loss { return file.synced }
                return file.current
            }
            guard !file.pending.isEmpty else { return file.synced }
            defer { loss = .some(generator) }
            switch Int.random(in: 0..<5, using: &generator) {
            case 0: return file.synced
            case 1: return file.current
            default: return Self.torn(file, &generator)
            }
        }

        /// Chooses a state of each sector, and of the size.
        ///
        /// A truncation is atomic. If it is on the disk, all earlier changes are on the disk too. If it is not on the
        /// disk, no later change is on the disk.
        private static func torn(_ file: Disk.File, _ generator: inout SeededGenerator) -> [UInt8] {
            var cuts = [0]
            for (number, change) in file.pending.enumerated() {
                if case .truncate = change { cuts += [number, number + 1] }
            }
            cuts.append(file.pending.count)
            let epoch = Int.random(in: 0..<cuts.count - 1, using: &generator)
            let changes = file.pending[cuts[epoch]..<cuts[epoch + 1]]
            var state = file.synced
            for change in file.pending[..<cuts[epoch]] { change.apply(to: &state) }
            if case .truncate? = changes.first { return state }

            // For each sector, and for the size, a number of changes is chosen. The image has the state after them.
            let count = changes.count
            let oneAlone = count == 0 ? 0 : Int.random(in: 1...count, using: &generator)
            let style = Int.random(in: 0..<4, using: &generator)
            func moment() -> Int {
                switch style {
                case 0: generator.once(in: 2) ? 0 : count
                case 1: generator.once(in: 20) ? 0 : count
                case 2: generator.once(in: 20) ? count : 0
                // Most sectors have the state after the same number of changes.
                default: generator.once(in: 20) ? Int.random(in: 0...count, using: &generator) : oneAlone
                }
            }
            let longest = changes.reduce(into: state.count) {
                if case .write(let offset, let bytes) = $1 { $0 = max($0, offset + bytes.count) }
            }
            var sectors: [[Int]] = Array(repeating: [], count: count + 1)
            for number in 0..<(longest + sector - 1) / sector { sectors[moment()].append(number) }
            let sizeMoment = generator.once(in: 2) ? count : moment()
            var image = [UInt8](repeating: 0, count: longest)
            var size = state.count
            for moment in 0...count {
                if moment > 0 { changes[changes.startIndex + moment - 1].apply(to: &state) }
                if moment == sizeMoment { size = state.count }
                for number in sectors[moment] {
                    let start = number * sector
                    let end = min(start + sector, state.count)
                    if start < end { image.replaceSubrange(start..<end, with: state[start..<end]) }
                }
            }
            return Array(image.prefix(size))
        }
    }
}
