internal import ProfileStore

extension CommandFailure {
    /// Makes the failure for an error that stopped a write of many profiles. If profiles were written before, the first
    /// line says how many, because the message of the error alone could say that nothing was written.
    ///
    /// - Parameters:
    ///   - error: The error that stopped the write.
    ///   - written: A sentence without a full stop about the profiles that were written; nil if there are none.
    init(_ error: ProfileStoreError, after written: String?) {
        guard let written else {
            self.init(error)
            return
        }
        let stopped = "\(written), and then it stopped"
        guard error.code != .cancelled else {
            self.init(.interrupted, "Interrupted: \(stopped)")
            return
        }
        let failure = CommandFailure(error)
        self.init(failure.status, lines: [stopped] + failure.lines)
    }
}
