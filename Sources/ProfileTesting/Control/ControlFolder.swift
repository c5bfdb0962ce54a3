internal import Platform
internal import SecretHashing

/// The private folder of a run's control server. It contains the server's socket and a file with the token.
///
/// The environment variable `TestLauncher-control` of the run names the folder. The folder is created if it does not
/// exist. The file `token` appears when the server has begun to listen.
package struct ControlFolder: Sendable {
    /// The name of the environment variable.
    package static let variable = "TestLauncher-control"

    package let path: String

    /// The path of the server's socket.
    package var socketPath: String { path + "/control.sock" }
    /// The path of the file with the token, in hexadecimal digits without a line end.
    package var tokenPath: String { path + "/token" }

    /// Creates a description of a folder. The folder need not exist yet.
    package init(_ path: String) { self.path = path }

    /// Creates the folder. If the folder already exists, checks that no other user can access it.
    ///
    /// - Throws: ``SystemError`` with `EACCES` if the path is not a folder, another user owns the folder, or its mode
    ///   gives other users access. ``SystemError`` with `ENAMETOOLONG` if the socket's path is longer than 107 bytes, the
    ///   limit in unix(7).
    package func prepare() throws(SystemError) {
        guard socketPath.utf8.count < 108 else { throw SystemError("socket in \(path)", code: ENAMETOOLONG) }
        guard mkdir(path, 0o700) != 0 else { return }
        guard errno == EEXIST else { throw SystemError("mkdir \(path)") }
        var status = stat()
        guard lstat(path, &status) == 0 else { throw SystemError("stat \(path)") }
        let isPrivate =
            status.st_mode & S_IFMT == S_IFDIR && status.st_uid == geteuid() && status.st_mode & 0o077 == 0
        guard isPrivate else { throw SystemError("\(path) is not a private folder (mode 0700)", code: EACCES) }
        // Removes the socket of an earlier run.
        remove()
    }

    /// Writes the token file atomically.
    package func publish(token: String) throws(SystemError) {
        let new = tokenPath + ".new"
        try SmallFile.write(token, to: new)
        guard rename(new, tokenPath) == 0 else { throw SystemError("rename \(new)") }
    }

    /// Removes the socket and the token file.
    package func remove() {
        unlink(tokenPath)
        unlink(socketPath)
    }

    /// Returns 256 bits from the system's random number generator, in hexadecimal digits.
    package static func makeToken() -> String {
        let bytes = (0..<32).map { _ in UInt8.random(in: .min ... .max) }
        return Hexadecimal.text(bytes.span)
    }
}
