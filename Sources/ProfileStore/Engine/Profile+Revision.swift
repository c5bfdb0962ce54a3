extension Profile {
    /// Throws an error unless the profile still has the revision with which it was read.
    ///
    /// - Parameter current: The stored revision; nil if there is no such profile any more.
    /// - Throws: `notFound` or `staleRevision`.
    package func requireUnchanged(_ current: Int64?) throws(ProfileStoreError) {
        guard let current else { throw .notFound(username: username) }
        guard current == revision else { throw .staleRevision(expected: revision, current: current) }
    }

    /// Throws `staleRevision` unless the profile has the expected revision. If the expected revision is nil, any
    /// revision is accepted.
    package func requireRevision(_ expected: Int64?) throws(ProfileStoreError) {
        if let expected, expected != revision { throw .staleRevision(expected: expected, current: revision) }
    }
}
