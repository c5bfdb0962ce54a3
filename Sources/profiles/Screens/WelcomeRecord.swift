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
        guard let folder = StateFolder.make() else { return false }
        // With O_EXCL, only one of several concurrent processes creates the file.
        let descriptor = open(folder + "/welcomed", O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { return false }
        close(descriptor)
        return true
    }
}
