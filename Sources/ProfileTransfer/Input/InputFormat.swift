/// How an input is written.
public enum InputFormat: Hashable, Sendable {
    /// Found out: JSON where it begins as an object, or as an array of objects, else CSV whose delimiter is found out too.
    case automatic
    /// RFC 4180. The delimiter is an ASCII character; nil, or one that cannot be a delimiter, has the one of comma,
    /// semicolon, tab and bar taken that splits the most of the first records as it splits the header.
    case csv(delimiter: UInt8?)
    /// JSON objects: the elements of one array where it begins with a bracket, else one a line.
    case json
}
