package import ProfileCore

extension ProfileChange: Encodable {
    /// Writes the change as `watch --format json` prints it. All members are always present, and null if unknown. `key`
    /// is the profile's primary key, whatever its field name is.
    public func encode(to encoder: any Encoder) throws { try json.encode(to: encoder) }

    package var json: JSONValue {
        [
            "number": .number(number), "kind": .string(kind.rawValue),
            "first_profile_id": (profileIDs?.lowerBound).map { .number($0) } ?? .null,
            "last_profile_id": (profileIDs?.upperBound).map { .number($0) } ?? .null,
            "key": username.map { .string($0) } ?? .null, "revision": revision.map { .number($0) } ?? .null,
            "changed_at": changedAt.map { .string($0.description) } ?? .null,
            "author": author.map { .string($0) } ?? .null,
        ]
    }
}
