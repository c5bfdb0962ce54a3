internal import CLinux
internal import Platform

/// Renames files, and makes file names durable. A name is on the disk only after its folder is synced. A sync of the
/// file alone does not write the name to the disk (fsync(2)).
package enum NewName {
    /// Renames a file, unless the new name is taken.
    ///
    /// - Returns: 0, or the `errno` of the failure: EEXIST if the name is taken.
    static func rename(_ path: String, to new: String) -> Int32 {
        if profiles_rename_without_replacing(path, new) == 0 { return 0 }
        // Some file systems, such as NFS, do not support this kind of rename.
        guard errno == EINVAL || errno == ENOSYS else { return errno }
        guard link(path, new) == 0 else { return errno }
        unlink(path)
        return 0
    }

    /// Makes all names in the folder of a file durable.
    ///
    /// - Returns: 0, or the `errno` of the failure. The result is also 0 if the file system cannot sync folders, or if
    ///   this process may not read the folder. The caller cannot solve these two problems.
    package static func sync(folderOf path: String) -> Int32 {
        let folder = path.utf8.lastIndex(of: UInt8(ascii: "/")).map { String(path[...$0]) } ?? "."
        let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { return errno == EACCES ? 0 : errno }
        defer { close(descriptor) }
        return fsync(descriptor) == 0 || errno == EINVAL || errno == ENOTSUP ? 0 : errno
    }
}
