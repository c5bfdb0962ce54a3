internal import Platform

/// The user's state directory of this program (XDG Base Directory Specification).
enum StateFolder {
    /// The path of the folder. Nil if there is no home directory. The folder need not exist.
    static var path: String? { folders?.last }

    /// Creates the folder and its parents if they are missing, with a folder in it if `name` is given.
    ///
    /// - Returns: The path of the folder. Nil if there is no home directory.
    static func make(_ name: String? = nil) -> String? {
        guard var folders else { return nil }
        if let name, let last = folders.last { folders.append(last + "/" + name) }
        for folder in folders { mkdir(folder, 0o700) }
        return folders.last
    }

    /// The folders to create if they are missing, from the outermost to the innermost.
    private static var folders: [String]? {
        // The specification says to ignore a relative path.
        if let state = try? Environment.path("XDG_STATE_HOME"), state.hasPrefix("/") {
            return [state, state + "/profiles"]
        }
        guard let home = try? Environment.path("HOME") else { return nil }
        return ["/.local", "/.local/state", "/.local/state/profiles"].map { home + $0 }
    }
}
