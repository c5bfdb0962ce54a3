/// What a single profile is found by.
package enum ProfileKey: Sendable {
    /// Whatever the case of its ASCII letters.
    case username(String)
    case id(Int64)
}
