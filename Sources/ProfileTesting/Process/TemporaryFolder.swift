internal import Platform

/// A private folder (0700) under the temporary directory, gone with all that is in it when the last reference goes.
public final class TemporaryFolder: Sendable {
    /// Its absolute path.
    public let path: String

    /// Makes one, whose name begins with a word of the caller's.
    ///
    /// - Throws: ``SystemError`` when the temporary directory (`TMPDIR`, else `/tmp`) takes no folder.
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
