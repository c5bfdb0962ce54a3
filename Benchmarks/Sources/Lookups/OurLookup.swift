import ProfileStore

/// The product's own look-up, as an embedder writes it.
struct OurLookup {
    let repository: ProfileRepository

    init(path: String) async throws {
        repository = try await ProfileRepository.open(at: path)
    }

    func find(_ username: String) throws -> Bool {
        try repository.profile(username: username) != nil
    }
}
