/// The notation of a value that is validated.
package enum ValueNotation: Sendable {
    /// The notation of the field. The field's `decimalChar`, `formats` and `trueValues`, for example, define this
    /// notation.
    case typed
    /// The notation of stored values and JSON: a point before a fraction, `true` and `false`, days and times in ISO
    /// 8601. If a boolean, date, datetime or time is not in this notation, it is read as `typed`.
    case canonical
    /// Exactly the stored form. Any other form of the same value is an issue.
    case stored
}
