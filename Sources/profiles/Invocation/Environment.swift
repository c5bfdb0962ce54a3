internal import Platform

/// The process's environment variables.
enum Environment {
    /// The value; nil where it is not set or empty.
    static subscript(name: String) -> String? {
        guard let value = getenv(name), value.pointee != 0 else { return nil }
        return String(cString: value)
    }

    /// Each as `NAME=value`, whatever its bytes, for a process that gets them all.
    static var pointers: [UnsafeMutablePointer<CChar>?] {
        var pointers: [UnsafeMutablePointer<CChar>?] = []
        var next = environ
        while let variable = next.pointee {
            pointers.append(variable)
            next += 1
        }
        return pointers
    }

    /// Whether a variable is there without a value, as `PAGER= profiles list` has it.
    static func isEmpty(_ name: String) -> Bool { getenv(name)?.pointee == 0 }

    /// Whether the terminal obeys no control codes, or nobody says which.
    static var isTerminalDumb: Bool { Self["TERM"].map { $0 == "dumb" } ?? true }

    /// The path that a variable names; nil where it is not set or empty.
    ///
    /// - Throws: a failure where it is not UTF-8: what Swift makes of such bytes is the path of another file.
    static func path(_ name: String) throws(CommandFailure) -> String? {
        guard let value = getenv(name), value.pointee != 0 else { return nil }
        guard let path = String(validatingCString: value) else {
            throw CommandFailure(
                .badConfiguration, "The path in the environment variable \(name) is not UTF-8 text",
                "Name the store with --database PATH, from within its folder where need be")
        }
        return path
    }
}
