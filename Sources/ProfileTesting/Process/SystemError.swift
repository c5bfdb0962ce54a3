internal import Platform

/// What the operating system refused a test.
public struct SystemError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What was tried: a call, or a call and the file that it was about.
    public let action: String
    /// `errno`.
    public let code: Int32

    /// An error with the present `errno`, or a code that a call has returned.
    package init(_ action: String, code: Int32 = errno) {
        self.action = action
        self.code = code
    }

    /// The action and the system's own text.
    public var description: String { "\(action): \(String(cString: strerror(code)))" }
}
