extension ProfileRepository {
    /// Counts what the store holds; reads every profile.
    public func statistics() async throws(ProfileStoreError) -> StoreStatistics { try await engine.statistics() }
}
