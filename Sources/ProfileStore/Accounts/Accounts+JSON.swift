public import ProfileCore

extension LoginSession: JSONEncodable {
    /// The session in the format of `session list --format json`.
    public var json: JSONValue {
        [
            "id": .string(id.description), "profile_id": .number(profileID), "username": .string(username),
            "label": label.map { .string($0.text) } ?? .null, "created_at": .string(createdAt.description),
            "last_used_at": .string(lastUsedAt.description), "idle_expires_at": .string(idleExpiresAt.description),
            "expires_at": .string(expiresAt.description),
        ]
    }
}

extension KnownDevice: JSONEncodable {
    /// The device with the members `id`, `profile_id`, `username`, `label`, `created_at`, `last_used_at` and
    /// `expires_at`. It does not contain the token of the device.
    public var json: JSONValue {
        [
            "id": .string(id.description), "profile_id": .number(profileID), "username": .string(username),
            "label": label.map { .string($0.text) } ?? .null, "created_at": .string(createdAt.description),
            "last_used_at": .string(lastUsedAt.description), "expires_at": .string(expiresAt.description),
        ]
    }
}

extension AccessToken: JSONEncodable {
    /// The access token in the format of `token list --format json`. It does not contain the secret text of the token.
    public var json: JSONValue {
        [
            "id": .string(id.description), "name": .string(name.text),
            "scopes": .array(scopes.map { .string($0.text) }), "created_at": .string(createdAt.description),
            "expires_at": expiresAt.map { .string($0.description) } ?? .null,
            "last_used_at": lastUsedAt.map { .string($0.description) } ?? .null,
        ]
    }
}

extension PasswordReset: JSONEncodable {
    /// The reset in the format of `reset --format json`. It does not contain the token of the reset.
    public var json: JSONValue {
        [
            "profile_id": .number(profileID), "username": .string(username),
            "created_at": .string(createdAt.description), "expires_at": .string(expiresAt.description),
        ]
    }
}
