public import ProfileCore

extension ProfileChange: JSONEncodable {
    /// The change in the format of `watch --format json`. All members are always present. If a value is unknown, the
    /// member is null. `key` is the value of the profile's primary key. The member is called `key` in every store.
    public var json: JSONValue {
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
