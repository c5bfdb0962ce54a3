package import ProfileCore
package import ProfileStore

/// Drafts and schemas for tests of the store.
package enum People {
    package static let secret = Secret("aK8oio")
    /// A hash of ``secret`` with the cost of the default policy. Its verification computes one hash, and does not
    /// replace the stored hash.
    package static let policyHash =
        "$argon2id$v=19$m=19456,t=2,p=1$ypUYnQZSQQOq9pivEtjG8w$V7S9SK6Z6JO5ZOTfRF8XhGONnRyFDistsnjOI6zUgXc"
    /// A hash of ``secret`` that is so weak that a successful verification replaces it.
    package static let weakHash =
        "$argon2id$v=19$m=8,t=1,p=1$x6KV7hY0lqmDzqg8SXGz4A$zXpdekayZS4A3z2N/dAfRIcKF8U94zGuyyN/CCZNJVo"
    /// A bcrypt hash of ``secret``.
    package static let bcryptHash = "$2b$04$abcdefghijklmnopqrstuutEP/GNDRtG4DIFjGkLcdxWtDG/tN/mu"

    /// A draft that is valid by the standard schema. It has a password hash instead of a password, so no hash is
    /// computed.
    package static func draft(_ username: String, _ others: [String: String] = [:]) -> ProfileDraft {
        var draft = ProfileDraft([
            "username": username, "password_hash": policyHash, "phone": "78761241", "address": "12 Main St",
        ])
        for (name, value) in others { draft[name] = value }
        return draft
    }

    /// A draft for an edit that keeps the password.
    package static func withoutPassword(_ username: String, _ others: [String: String] = [:]) -> ProfileDraft {
        var draft = draft(username, others)
        draft["password_hash"] = nil
        return draft
    }

    /// The standard schema with fields appended, each a JSON object.
    package static func standard(and fields: String...) throws -> ProfileSchema {
        let standard = ProfileSchema.standard.document()
        guard standard.hasSuffix("]}") else { throw SchemaChangeError.unexpectedDocument }
        return try ProfileSchema(parsing: "\(standard.dropLast(2)),\(fields.joined(separator: ","))]}")
    }

    /// The standard schema with every `text` of its document replaced.
    package static func standard(replacing text: String, with other: String) throws -> ProfileSchema {
        let parts = ProfileSchema.standard.document().split(separator: text, omittingEmptySubsequences: false)
        guard parts.count > 1 else { throw SchemaChangeError.unexpectedDocument }
        return try ProfileSchema(parsing: parts.joined(separator: other))
    }

    package static let email = #"{"name":"email"}"#
    package static let uniqueEmail = #"{"name":"email","constraints":{"unique":true}}"#

    package enum SchemaChangeError: Error { case unexpectedDocument }
}

extension WriteKey {
    /// Creates a key with an empty text for the request. It is for calls whose arguments identify the write without it.
    package init?(_ text: String) { self.init(text, request: "") }
}

extension ProfileRepository {
    @discardableResult
    package func register(_ username: String, _ others: [String: String] = [:]) async throws(ProfileStoreError)
        -> Profile
    {
        try await register(judged(People.draft(username, others)))
    }

    /// Judges a draft by the rules in force.
    package func judged(_ draft: ProfileDraft) throws(ProfileStoreError) -> ValidProfile {
        do throws(ValidationFailure) { return try validator.validate(draft, on: today) } catch { throw .invalid(error) }
    }

    /// Every profile's username, in order.
    package func usernames(_ query: ProfileQuery = ProfileQuery(limit: 1_000)) async throws -> [String] {
        var names: [String] = []
        for try await profile in all(query) { names.append(profile.username) }
        return names
    }
}

extension FieldName {
    package static let email: FieldName = "email"
}
