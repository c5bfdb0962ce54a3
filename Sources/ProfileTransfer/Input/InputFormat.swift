/// The format of an input.
public enum InputFormat: Hashable, Sendable {
    /// Detects the format: JSON if the input starts with an object, or with an array of objects or arrays. Otherwise
    /// the format is CSV with a detected delimiter.
    case automatic
    /// CSV according to RFC 4180. The delimiter is an ASCII character. If the delimiter is nil or cannot be used, the
    /// reader tries comma, semicolon, tab and vertical bar. The reader tries each delimiter on the first records. It
    /// counts the records that have the same number of cells as the header, and chooses the delimiter with the greatest
    /// count.
    case csv(delimiter: UInt8?)
    /// JSON objects. If the input starts with `[`, the objects are the elements of one array. Otherwise each line
    /// contains one object.
    case json
}
