// Checks of numbers that were read from a store. If a number fails a check, the store is damaged, or another program
// has written the number.
extension ProfileStoreError {
    /// Returns the error for profiles in the wrong order: the profile `id` was read after the profile `last`.
    package static func outOfOrder(_ id: Int64, after last: Int64) -> ProfileStoreError {
        .corrupt(.outOfOrder(id, after: last))
    }

    /// The greatest count that a store may contain. Additions to this count do not overflow, because it is only about
    /// half of the largest `Int64`.
    package static let mostCounted: Int64 = 1 << 62

    /// Checks that a stored number is in the range from `least` to `mostCounted`, and returns the number.
    ///
    /// - Throws: `corrupt` for a number below `least` or above ``mostCounted``.
    package static func counted(
        _ number: Int64?, atLeast least: Int64, _ name: String
    ) throws(ProfileStoreError) -> Int64 {
        guard let number, least...mostCounted ~= number else { throw .corrupt(.uncounted(name)) }
        return number
    }

    /// Returns a stored number plus one.
    ///
    /// - Parameters:
    ///   - number: A number that was read from the store.
    ///   - name: The name of the number, for the error.
    /// - Returns: The stored number plus one.
    /// - Throws: `corrupt` if the stored number is already the largest possible number.
    package static func number<Number: FixedWidthInteger & Sendable>(
        after number: Number, _ name: String
    ) throws(ProfileStoreError) -> Number {
        let (next, isTooGreat) = number.addingReportingOverflow(1)
        guard !isTooGreat else { throw .corrupt(.uncountable(name, Int64(clamping: number))) }
        return next
    }
}
