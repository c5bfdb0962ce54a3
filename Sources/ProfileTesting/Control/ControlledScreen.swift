package import ProfileCore

/// The running screen, as the control server sees it: whoever runs screens makes one (see `Sources/profiles/Testing`).
///
/// Inputs and questions are served in the order in which they come, between keys; the screen is drawn after each.
package protocol ControlledScreen: Sendable {
    /// The screen's state as soon as it fulfils a condition, now or after a later change.
    ///
    /// The condition is asked again after each input and each question, whether the state has changed or not.
    ///
    /// - Returns: nil when the screen was left before.
    func state(when condition: @escaping @Sendable (JSONValue) -> Bool) async -> JSONValue?
    /// Does what somebody at the terminal could do; returns at once.
    func send(_ input: ScreenInput)
    /// Leaves the screen without a question; returns at once.
    func leave()
}
