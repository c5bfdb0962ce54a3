internal import Platform

/// The process's environment variables.
enum Environment {
    /// The value of a variable. Nil if the variable is not set or is empty.
    static subscript(name: String) -> String? {
        guard let value = getenv(name), value.pointee != 0 else { return nil }
        return String(cString: value)
    }

    /// Pointers to all variables, to pass them to another process. Each variable is a C string `NAME=value`. The string
    /// is not always UTF-8.
    static var pointers: [UnsafeMutablePointer<CChar>?] {
        var pointers: [UnsafeMutablePointer<CChar>?] = []
        var next = environ
        while let variable = next.pointee {
            pointers.append(variable)
            next += 1
        }
        return pointers
    }

    /// Whether a variable is set to an empty value, as in `PAGER= profiles list`.
    static func isEmpty(_ name: String) -> Bool { getenv(name)?.pointee == 0 }

    /// Whether the terminal supports no control codes, or `TERM` is not set.
    static var isTerminalDumb: Bool { Self["TERM"].map { $0 == "dumb" } ?? true }

    /// The path in a variable. Nil if the variable is not set or is empty.
    ///
    /// - Throws: A failure if the path is not UTF-8. Swift would replace the invalid bytes, and the result would be the
    ///   path of another file.
    static func path(_ name: String) throws(CommandFailure) -> String? {
        guard let value = getenv(name), value.pointee != 0 else { return nil }
        guard let path = String(validatingCString: value) else {
            throw CommandFailure(
                .badConfiguration, "The path in the environment variable \(name) is not UTF-8 text",
                "Name the store with --database PATH, from within its folder if necessary")
        }
        return path
    }
}
