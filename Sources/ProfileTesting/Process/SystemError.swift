internal import Platform

/// An error of the operating system in a test.
public struct SystemError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The failed call, with the path of the file if the call has one.
    public let action: String
    /// `errno`.
    public let code: Int32

    /// Creates an error with the present `errno`, or with a code that a call has returned.
    package init(_ action: String, code: Int32 = errno) {
        self.action = action
        self.code = code
    }

    /// The action and the system's error text.
    public var description: String { "\(action): \(String(cString: strerror(code)))" }
}
