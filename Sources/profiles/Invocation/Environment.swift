internal import Platform

/// The process's environment variables.
enum Environment {
    /// The value; nil where it is not set or empty.
    static subscript(name: String) -> String? {
        guard let value = getenv(name), value.pointee != 0 else { return nil }
        return String(cString: value)
    }

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
