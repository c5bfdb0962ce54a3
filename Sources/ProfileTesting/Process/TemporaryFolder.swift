internal import Platform

/// A private folder (0700) in the temporary directory. It is removed with its content when the last reference is
/// released.
public final class TemporaryFolder: Sendable {
    /// The absolute path.
    public let path: String

    /// Creates a folder whose name begins with the given word.
    ///
    /// - Throws: ``SystemError`` if no folder can be created in the temporary directory (`TMPDIR`, else `/tmp`).
    public init(_ word: String = "profiles-test") throws(SystemError) {
        let parent = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        var template = Array("\(parent)/\(word).XXXXXX".utf8CString)
        let made = template.withUnsafeMutableBufferPointer { buffer in
            buffer.baseAddress.flatMap { mkdtemp($0) }.map { String(cString: $0) }
        }
        guard let made else { throw SystemError("mkdtemp \(parent)") }
        path = made
    }

    deinit { SmallFile.removeAll(path) }
}
