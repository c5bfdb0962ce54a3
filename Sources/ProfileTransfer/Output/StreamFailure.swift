/// What somebody else's sequence or sink has thrown.
///
/// Two are equal if the errors are described by the same text.
public struct StreamFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// As it was thrown.
    public let error: any Error

    init(_ error: any Error) { self.error = error }

    public var description: String { String(reflecting: error) }

    public static func == (one: StreamFailure, other: StreamFailure) -> Bool { one.description == other.description }

    public func hash(into hasher: inout Hasher) { hasher.combine(description) }
}
