/// The format of an input.
public enum InputFormat: Hashable, Sendable {
    /// Detects the format: JSON if the input starts with an object or an array of objects, otherwise CSV with a
    /// detected delimiter.
    case automatic
    /// CSV according to RFC 4180. The delimiter is an ASCII character. If it is nil or not usable as a delimiter, the
    /// reader chooses among comma, semicolon, tab and vertical bar. It takes the delimiter for which the largest number
    /// of the first records have as many cells as the header.
    case csv(delimiter: UInt8?)
    /// JSON objects: the elements of one array if the input starts with `[`, otherwise one object per line.
    case json
}
