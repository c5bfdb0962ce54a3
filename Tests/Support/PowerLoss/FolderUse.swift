internal import ProfileCore
internal import ProfileStore
internal import ProfileStoreSQLite

/// Uses the stores in a folder after a fault, as the next process does.
package enum FolderUse {
    /// Registers one more profile in each store of a folder, and checks the store again. A store that was not made
    /// completely is made, and an older one is migrated.
    package static func registerOneMore(in folder: String) async throws {
        for part in try await FolderContents(of: folder).parts.keys
        where part.hasSuffix(".sqlite") && !part.hasSuffix("backup.sqlite") {
            try await registerOneMore(at: "\(folder)/\(part)")
        }
        _ = try await FolderContents(of: folder)
    }

    private static func registerOneMore(at path: String) async throws {
        let repository = try await opened(path)
        do {
            // A weak hash, which is not checked here.
            let hash = "$argon2id$v=19$m=8,t=1,p=1$x6KV7hY0lqmDzqg8SXGz4A$zXpdekayZS4A3z2N/dAfRIcKF8U94zGuyyN/CCZNJVo"
            let draft = ProfileDraft([
                "username": "onemore", "phone": "78761241", "address": "0", "password_hash": hash,
            ])
            _ = try await repository.register(repository.validator.validate(draft, on: repository.today))
        } catch {
            await repository.close()
            throw error
        }
        await repository.close()
    }

    private static func opened(_ path: String) async throws -> ProfileRepository {
        var options = ProfileRepository.Options()
        options.createsMissing = true
        do {
            return try await ProfileRepository.open(at: path, options: options)
        } catch {
            guard error.code == .olderStore else { throw error }
        }
        _ = try await ProfileRepository.migrate(at: path)
        return try await ProfileRepository.open(at: path)
    }
}
