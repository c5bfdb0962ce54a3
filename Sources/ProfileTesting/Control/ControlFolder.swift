internal import Platform
internal import SecretHashing

/// The private folder in which a run's control server is found: its socket, and the token in a file.
///
/// Whoever starts the run names the folder in the environment variable `TestLauncher-control`; it is made where it is
/// missing. The file `token` is there as soon as the server listens, and not before.
package struct ControlFolder: Sendable {
    /// The name of the environment variable.
    package static let variable = "TestLauncher-control"

    package let path: String

    /// The server's socket.
    package var socketPath: String { path + "/control.sock" }
    /// The token, in hexadecimal digits without a line end.
    package var tokenPath: String { path + "/token" }

    /// A folder that is there, or will be.
    package init(_ path: String) { self.path = path }

    /// Makes the folder, or makes sure that nobody else can enter it.
    ///
    /// - Throws: ``SystemError`` with `EACCES` where others can, or it is not ours; with `ENAMETOOLONG` where the
    ///   socket's path would exceed the 107 bytes that unix(7) has room for.
    package func prepare() throws(SystemError) {
        guard socketPath.utf8.count < 108 else { throw SystemError("socket in \(path)", code: ENAMETOOLONG) }
        guard mkdir(path, 0o700) != 0 else { return }
        guard errno == EEXIST else { throw SystemError("mkdir \(path)") }
        var status = stat()
        guard lstat(path, &status) == 0 else { throw SystemError("stat \(path)") }
        let isPrivate =
            status.st_mode & S_IFMT == S_IFDIR && status.st_uid == geteuid() && status.st_mode & 0o077 == 0
        guard isPrivate else { throw SystemError("\(path) is not a folder of ours alone (mode 0700)", code: EACCES) }
        // A socket of a run before is in the way.
        remove()
    }

    /// Lets clients know the token, all at once.
    package func publish(token: String) throws(SystemError) {
        let new = tokenPath + ".new"
        try SmallFile.write(token, to: new)
        guard rename(new, tokenPath) == 0 else { throw SystemError("rename \(new)") }
    }

    /// Takes socket and token away.
    package func remove() {
        unlink(tokenPath)
        unlink(socketPath)
    }

    /// 256 bits from the system, in hexadecimal digits.
    package static func makeToken() -> String {
        let bytes = (0..<32).map { _ in UInt8.random(in: .min ... .max) }
        return Hexadecimal.text(bytes.span)
    }
}
