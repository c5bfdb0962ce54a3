/// The conditions for the writes of a connection: the lock file, the maximum wait, and whether other writers wait. The
/// writer sets these values for each job.
final class WriteTerms {
    /// The lock file that is locked while the connection writes; nil if the connection writes without the lock.
    var lockFile: LockFile?
    /// The maximum time to wait for locks that other programs hold; nil for the default.
    var waitLimit: WaitLimit?
    /// Returns whether other writers, in this process or another one, wait for this writer.
    var othersWait: (() -> Bool)?

    init(waitLimit: WaitLimit?) { self.waitLimit = waitLimit }
}
