/// A rule that all values of a column satisfy, but that is left out because later files may break it.
public enum WithheldRule: Hashable, Sendable {
    /// The field is required.
    case required
    /// No two profiles have the same value.
    case unique
    /// The field allows only a list of values. The number is the length of the list.
    case values(Int)
    /// The field has this mask.
    case mask(String)
    /// Every value has this length.
    case length(Int)
    /// The length of the values is limited.
    case maximumLength
    /// The values consist of the same classes of characters.
    case characters

    /// The reason why later files may break a rule.
    public enum Reason: Hashable, Sendable {
        /// The column has too few values to prove a rule.
        case fewValues
        /// All values are the same.
        case oneValue
        /// The file is sorted or grouped by the column, so later rows have other values.
        case sortedRows
        /// New values still appear at the end of the file, or some values occur only once.
        case newValues
    }
}
