/// The username or the id of a single profile.
package enum ProfileKey: Sendable {
    /// The case of ASCII letters is ignored.
    case username(String)
    case id(Int64)
}
