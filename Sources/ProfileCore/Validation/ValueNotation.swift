/// The notation of a value that is validated.
package enum ValueNotation: Sendable {
    /// In the notation of the field: with its `decimalChar`, its `formats`, its `trueValues`.
    case typed
    /// As the store keeps values and JSON writes them: a point before a fraction, `true` and `false`, days and times in
    /// ISO 8601. A boolean, date, datetime or time in any other notation is read as `typed`.
    case canonical
    /// Exactly the stored form. Any other spelling of the same value is an issue.
    case stored
}
