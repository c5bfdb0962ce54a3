/// The username or the id of a single profile.
package enum ProfileKey: Sendable {
    /// The case of ASCII letters is ignored.
    case username(String)
    case id(Int64)
}

extension ProfileStoreError {
    package static func notFound(_ key: ProfileKey) -> Self {
        switch key {
        case .username(let username): .notFound(username: username)
        case .id(let id): .notFound(username: String(id))
        }
    }
}
