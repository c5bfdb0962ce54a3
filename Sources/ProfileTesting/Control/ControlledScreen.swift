package import ProfileCore

/// The interface of the running screen to the control server. The code that runs screens implements it (see
/// `Sources/profiles/TestHooks`).
///
/// The screen handles inputs and queries in the order of their arrival, like keys of the terminal. It is drawn after
/// each of them.
package protocol ControlledScreen: Sendable {
    /// Returns the screen's state as soon as it fulfils a condition, now or after a later change.
    ///
    /// The condition is evaluated after each input and each query, whether or not the state has changed.
    ///
    /// - Returns: The state; nil if the screen was left before a state fulfilled the condition.
    func state(when condition: @escaping @Sendable (JSONValue) -> Bool) async -> JSONValue?
    /// Performs an input as if a user had made it at the terminal; returns immediately.
    func send(_ input: ScreenInput)
    /// Leaves the screen without asking the user to confirm; returns immediately.
    func leave()
}
