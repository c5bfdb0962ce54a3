internal import Platform

/// An error that a call to the operating system returned in a test.
public struct SystemError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The name of the failed call, and the path of the file if there is one.
    public let action: String
    /// `errno`.
    public let code: Int32

    /// Creates an error with the current `errno`, or with an error code that a call returned.
    package init(_ action: String, code: Int32 = errno) {
        self.action = action
        self.code = code
    }

    /// The action and the system's error text.
    public var description: String { "\(action): \(String(cString: strerror(code)))" }
}
