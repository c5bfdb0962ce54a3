package import ProfileCore

/// The interface through which the control server uses the running screen. The code that runs screens implements it
/// (see `Sources/profiles/TestHooks`).
///
/// The screen handles inputs and queries in the order of their arrival, like keys of the terminal. Afterwards the
/// screen is drawn. If several inputs and queries arrive quickly, the screen may be drawn once for all of them.
package protocol ControlledScreen: Sendable {
    /// Waits until the screen's state fulfils a condition, and returns this state.
    ///
    /// The condition is evaluated after each input and each query, even if the state has not changed.
    ///
    /// - Returns: The state; nil if the screen was left before a state fulfilled the condition.
    func state(when condition: @escaping @Sendable (JSONValue) -> Bool) async -> JSONValue?
    /// Sends an input to the screen, as if a user made it at the terminal; returns immediately.
    func send(_ input: ScreenInput)
    /// Leaves the screen without asking the user to confirm; returns immediately.
    func leave()
}
