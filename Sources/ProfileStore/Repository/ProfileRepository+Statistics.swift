extension ProfileRepository {
    /// Counts what the store holds; reads every profile.
    public func statistics() async throws(ProfileStoreError) -> StoreStatistics {
        try await ask(.statistics, rows: \.profiles, await engine.statistics())
    }
}
