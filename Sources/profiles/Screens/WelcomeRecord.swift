internal import Platform

/// Remembers that a user of the terminal has seen the welcome notice (T5).
///
/// The record is an empty file in the user's state directory (XDG Base Directory Specification).
enum WelcomeRecord {
    /// Records that the welcome is shown. Returns true only if there was no record before. In this case, the caller
    /// shows the welcome.
    ///
    /// Returns false if there is no home directory or the file cannot be created. If the welcome were shown without a
    /// record, it would be shown at every start.
    static func take() -> Bool {
        guard let folders else { return false }
        for folder in folders { mkdir(folder, 0o700) }
        guard let folder = folders.last else { return false }
        // With O_EXCL, only one of several concurrent processes creates the file.
        let descriptor = open(folder + "/welcomed", O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { return false }
        close(descriptor)
        return true
    }

    /// The folders to create if they are missing, from the outermost to the innermost. The innermost folder contains
    /// the file.
    private static var folders: [String]? {
        // The specification says to ignore a relative path.
        if let state = try? Environment.path("XDG_STATE_HOME"), state.hasPrefix("/") {
            return [state, state + "/profiles"]
        }
        guard let home = try? Environment.path("HOME") else { return nil }
        return ["/.local", "/.local/state", "/.local/state/profiles"].map { home + $0 }
    }
}
