import ProfileCore
import ProfileStore
import ProfileStoreSQLite

/// A look-up with the product's library, as an application would write it.
struct OurLookup {
    let repository: ProfileRepository

    init(path: String) async throws {
        repository = try await ProfileRepository.open(at: path)
    }

    /// Returns how many of these names have a profile. One task awaits one look-up after another.
    func count(_ names: [String]) async throws -> Int {
        var found = 0
        for name in names {
            if try await repository.profile(username: name) != nil { found += 1 }
        }
        return found
    }

    /// Returns the profiles of these names.
    func profiles(_ names: [String]) async throws -> [Profile] {
        var profiles: [Profile] = []
        for name in names { try await repository.profile(username: name).map { profiles.append($0) } }
        return profiles
    }

    /// Returns how many of these profiles were written as JSON, each on its own, as a service answers a look-up.
    static func write(_ profiles: [Profile]) -> Int { profiles.count { !$0.json.utf8().isEmpty } }
}
