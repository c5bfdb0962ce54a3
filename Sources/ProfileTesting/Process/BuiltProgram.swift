internal import Platform

/// Finds programs that SwiftPM has built with the tests.
package enum BuiltProgram {
    /// Returns the path of a program beside the running tests.
    package static func path(_ name: String) throws(SystemError) -> String {
        for folder in folders {
            for candidate in ["\(folder)/\(name)", "\(folder)/.build/debug/\(name)"] where isFile(candidate) {
                return candidate
            }
        }
        throw SystemError("\(name), beside the tests", code: ENOENT)
    }

    /// Returns the path of the command that supports scenarios: the value of the environment variable
    /// `PROFILES_HOOKS_BINARY`, or else `.build-hooks/debug/profiles` in the package.
    package static func commandWithTestHooks() throws(MissingTestHooks) -> String {
        if let path = getenv("PROFILES_HOOKS_BINARY") { return String(cString: path) }
        for folder in folders where isFile("\(folder)/.build-hooks/debug/profiles") {
            return "\(folder)/.build-hooks/debug/profiles"
        }
        throw MissingTestHooks()
    }

    /// Returns the path of the command that supports PostgreSQL, `.build-postgres/debug/profiles` in the package; nil
    /// if it was not built.
    package static func commandWithPostgres() -> String? {
        folders.lazy.map { "\($0)/.build-postgres/debug/profiles" }.first(where: isFile)
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

/// The command was not built with the trait `TestHooks`.
package struct MissingTestHooks: Error, CustomStringConvertible {
    package var description: String {
        """
        There is no .build-hooks/debug/profiles: run make test, which builds it with
          swift build --product profiles --traits TestHooks --scratch-path .build-hooks
        """
    }
}
