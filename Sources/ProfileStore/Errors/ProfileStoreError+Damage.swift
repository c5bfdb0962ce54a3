// Checks of numbers that were read from a store. A number that fails a check comes from damage or from another program.
extension ProfileStoreError {
    /// Returns the error for profiles in the wrong order: the profile `id` came after the profile `last`.
    package static func outOfOrder(_ id: Int64, after last: Int64) -> ProfileStoreError {
        .corrupt(.outOfOrder(id, after: last))
    }

    /// The greatest count that is accepted from a store. It is so small that additions to it do not overflow.
    package static let mostCounted: Int64 = 1 << 62

    /// Checks that counting can have reached a number of the store, and returns the number.
    ///
    /// - Throws: `corrupt` for a number below `least` or above ``mostCounted``.
    package static func counted(
        _ number: Int64?, atLeast least: Int64, _ name: String
    ) throws(ProfileStoreError) -> Int64 {
        guard let number, least...mostCounted ~= number else { throw .corrupt(.uncounted(name)) }
        return number
    }

    /// Returns the number that follows a number of the store.
    ///
    /// - Parameters:
    ///   - number: A number that was read from the store.
    ///   - name: The name of the number, for the error.
    /// - Returns: The number that is greater by one.
    /// - Throws: `corrupt` if there is no greater number.
    package static func number<Number: FixedWidthInteger & Sendable>(
        after number: Number, _ name: String
    ) throws(ProfileStoreError) -> Number {
        let (next, isTooGreat) = number.addingReportingOverflow(1)
        guard !isTooGreat else { throw .corrupt(.uncountable(name, Int64(clamping: number))) }
        return next
    }
}
