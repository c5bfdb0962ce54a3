// Checks of numbers that were read from a store. If a number fails a check, the store is damaged, or another program
// has written the number.
extension ProfileStoreError {
    /// Returns the error for profiles in the wrong order: the profile `id` was read after the profile `last`.
    package static func outOfOrder(_ id: Int64, after last: Int64) -> ProfileStoreError {
        .corrupt(.outOfOrder(id, after: last))
    }

    /// The greatest count that is accepted from a store. It is small enough that adding to it does not overflow.
    package static let mostCounted: Int64 = 1 << 62

    /// Checks that a number of the store is in the range that counting can reach, and returns the number.
    ///
    /// - Throws: `corrupt` for a number below `least` or above ``mostCounted``.
    package static func counted(
        _ number: Int64?, atLeast least: Int64, _ name: String
    ) throws(ProfileStoreError) -> Int64 {
        guard let number, least...mostCounted ~= number else { throw .corrupt(.uncounted(name)) }
        return number
    }

    /// Returns the next number after a number of the store.
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
