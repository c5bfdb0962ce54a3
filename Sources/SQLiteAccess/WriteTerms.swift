/// What a connection goes by when it writes; set anew for each job.
final class WriteTerms {
    /// The file of the lock that is held meanwhile; nil where nobody asks for one.
    var lockFile: LockFile?
    /// How long to wait for locks that other programs hold; nil for a time that is long enough for most.
    var waitLimit: WaitLimit?
    /// Whether other writers wait for this one to end, here or in another process.
    var othersWait: (() -> Bool)?

    init(waitLimit: WaitLimit?) { self.waitLimit = waitLimit }
}
