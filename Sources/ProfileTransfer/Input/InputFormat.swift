/// The format of an input.
public enum InputFormat: Hashable, Sendable {
    /// Detects the format: JSON if the input starts with an object or an array of objects, otherwise CSV with a
    /// detected delimiter.
    case automatic
    /// CSV according to RFC 4180. The delimiter is an ASCII character. If the delimiter is nil or cannot be used, the
    /// reader tries comma, semicolon, tab and vertical bar. For each delimiter, the reader counts the first records
    /// that have as many cells as the header. The reader chooses the delimiter with the greatest count.
    case csv(delimiter: UInt8?)
    /// JSON objects: the elements of one array if the input starts with `[`, otherwise one object per line.
    case json
}
