/// An error that was thrown by the caller's sequence or sink.
///
/// Two failures are equal if their errors have the same description.
public struct StreamFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// The original error.
    public let error: any Error

    init(_ error: any Error) { self.error = error }

    public var description: String { String(reflecting: error) }

    public static func == (one: StreamFailure, other: StreamFailure) -> Bool { one.description == other.description }

    public func hash(into hasher: inout Hasher) { hasher.combine(description) }
}
