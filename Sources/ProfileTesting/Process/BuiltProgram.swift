internal import Platform

/// Finds programs that SwiftPM has built with the tests.
package enum BuiltProgram {
    /// Returns the path of a program. Searches the folder of the running tests and then its parent folders.
    package static func path(_ name: String) throws(SystemError) -> String {
        for folder in folders {
            for candidate in ["\(folder)/\(name)", "\(folder)/.build/debug/\(name)"] where isFile(candidate) {
                return candidate
            }
        }
        throw SystemError("\(name), beside the tests", code: ENOENT)
    }

    /// The path of the release build of the command: `.build/release/profiles` in the package. Nil if there is no
    /// release build.
    package static var releaseCommand: String? {
        folders.lazy.map { "\($0)/.build/release/profiles" }.first(where: isFile)
    }

    /// The folder of the running tests and its parent folders, innermost first.
    private static var folders: [String] {
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = readlink("/proc/self/exe", &buffer, buffer.count)
        let path = String(decoding: buffer.prefix(max(0, count)).map(UInt8.init(bitPattern:)), as: UTF8.self)
        var folder = path.split(separator: "/")
        var folders: [String] = []
        while !folder.isEmpty {
            folder.removeLast()
            folders.append("/" + folder.joined(separator: "/"))
        }
        return folders
    }

    private static func isFile(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
    }
}
