import ProfileStore
import ProfileStoreSQLite

/// The product's own look-up, as an embedder writes it.
struct OurLookup {
    let repository: ProfileRepository

    init(path: String) async throws {
        repository = try await ProfileRepository.open(at: path)
    }

    /// How many of these names have a profile: one look-up after another in one task, each of them awaited.
    func count(_ names: [String]) async throws -> Int {
        var found = 0
        for name in names {
            if try await repository.profile(username: name) != nil { found += 1 }
        }
        return found
    }
}
