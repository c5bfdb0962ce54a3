package import ProfileCore
package import ProfileForm

/// An external request to the running screen. The control server of a test uses these requests.
///
/// Send the requests through the `AsyncStream` that ``ScreenLoop`` receives. The loop handles requests and keys one at
/// a time, in the order of arrival, and then draws the screen. If several requests arrive before the next frame is
/// drawn, this frame shows the effects of all of them.
///
/// ```swift
/// let (requests, outside) = AsyncStream.makeStream(of: ScreenRequest.self)
/// outside.yield(.key(.character("s")))
/// outside.yield(.notice(.welcome))
/// outside.yield(.state { state in … })
/// ```
package enum ScreenRequest: Sendable {
    /// Handles a key as if the user had pressed it.
    case key(Key)
    /// Sends an event directly to the form, without a key. If a notice or a question is open, it blocks the event, in
    /// the same way as it blocks keys.
    case event(FormEvent)
    /// Adds a notice over the screen, after the existing ones.
    case notice(NoticeScreen)
    /// Replies with the state as soon as the state meets the condition: now, or after a later change. Replies with nil
    /// if the screen ends first.
    case stateWhen(@Sendable (JSONValue) -> Bool, reply: @Sendable (JSONValue?) -> Void)
    /// Leaves the screen without asking the user.
    case leave

    /// Returns a request that replies with the current state.
    package static func state(_ reply: @escaping @Sendable (JSONValue?) -> Void) -> ScreenRequest {
        .stateWhen({ _ in true }, reply: reply)
    }
}
