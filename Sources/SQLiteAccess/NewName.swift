internal import CLinux
internal import Platform

/// Gives files names that last. A name is on the disk when its folder was synced: a sync of the file alone does not do
/// that (fsync(2)).
package enum NewName {
    /// Renames a file, unless the new name is taken.
    ///
    /// - Returns: 0, or the error: EEXIST if the name is taken.
    static func rename(_ path: String, to new: String) -> Int32 {
        if profiles_rename_without_replacing(path, new) == 0 { return 0 }
        // File systems without this kind of rename, such as NFS.
        guard errno == EINVAL || errno == ENOSYS else { return errno }
        guard link(path, new) == 0 else { return errno }
        unlink(path)
        return 0
    }

    /// Makes all names in the folder of a file durable.
    ///
    /// - Returns: 0, or the error. It is 0 if the file system cannot sync folders, and if this process may not read the
    ///   folder: then nothing can be done.
    package static func sync(folderOf path: String) -> Int32 {
        let folder = path.utf8.lastIndex(of: UInt8(ascii: "/")).map { String(path[...$0]) } ?? "."
        let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { return errno == EACCES ? 0 : errno }
        defer { close(descriptor) }
        return fsync(descriptor) == 0 || errno == EINVAL || errno == ENOTSUP ? 0 : errno
    }
}
