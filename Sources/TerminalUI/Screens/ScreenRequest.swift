package import ProfileCore
package import ProfileForm

/// What somebody outside wants of the screen that is run: how a test's control server drives it.
///
/// Requests go into the `AsyncStream` that ``ScreenLoop`` is given, and are served in their order between keys; the
/// screen is drawn after each.
///
/// ```swift
/// let (requests, outside) = AsyncStream.makeStream(of: ScreenRequest.self)
/// outside.yield(.key(.character("s")))
/// outside.yield(.notice(.welcome))
/// outside.yield(.state { state in … })
/// ```
package enum ScreenRequest: Sendable {
    /// A key, as if it had been pressed.
    case key(Key)
    /// An event for the form, past the keys that stand for it; notices and questions hold it off as they do keys.
    case event(FormEvent)
    /// A notice over the screen, after those that are there.
    case notice(NoticeScreen)
    /// The state as soon as it fulfils a condition, now or after a later change; nil when the screen was left before.
    case stateWhen(@Sendable (JSONValue) -> Bool, reply: @Sendable (JSONValue?) -> Void)
    /// To leave the screen without a question.
    case leave

    /// The state as it is now.
    package static func state(_ reply: @escaping @Sendable (JSONValue?) -> Void) -> ScreenRequest {
        .stateWhen({ _ in true }, reply: reply)
    }
}
