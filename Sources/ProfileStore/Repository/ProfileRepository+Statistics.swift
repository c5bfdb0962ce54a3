extension ProfileRepository {
    /// Counts the contents of the store. Reads every profile.
    public func statistics() async throws(ProfileStoreError) -> StoreStatistics {
        try await ask(.statistics, rows: \.profiles, await engine.statistics())
    }
}
