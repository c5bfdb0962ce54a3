package import ProfileCore
package import ProfileForm

/// A screen of a terminal. A person reads the screen and types into it. The screen is a pure value: it handles keys,
/// can be drawn, and returns requests.
///
/// ``ScreenLoop`` connects a screen with a terminal. A screen does not use a terminal, a store or a clock itself, so a
/// test can press every key and examine every frame.
package protocol Screen: Sendable {
    /// A request to the code that runs the screen, such as storing a profile.
    associatedtype Request: Sendable
    /// The answer to a request.
    associatedtype Reply: Sendable
    /// A description of the data that the screen needs, such as the rows of a table. `Never` for a screen that needs no
    /// further data.
    associatedtype Demand: Hashable, Sendable = Never

    /// The notices over the screen, shown one at a time in this order. All keys go to the notice until the user closes
    /// it.
    var notices: [NoticeScreen] { get set }
    /// Whether a request is in progress. During a request, only Ctrl-C and Ctrl-Z have an effect, unless a notice is
    /// open. ``ScreenLoop`` keeps all other keys.
    var isBusy: Bool { get }
    /// The time at which the screen changes by itself, such as the next step of a countdown. Nil if there is no such
    /// time.
    var nextChange: ContinuousClock.Instant? { get }
    /// The data that the screen needs next. ``ScreenLoop`` reads this property after every event. The loop reads the
    /// data in a separate task, so the screen can take keys meanwhile. When the demand changes, the task of the
    /// previous demand is cancelled.
    var demand: Demand? { get }
    /// The members of the screen's state; see ``Screen/state``.
    var details: [JSONMember] { get }

    /// Handles a key, if no notice has handled it.
    mutating func take(_ key: Key) -> ScreenAction<Request>?
    /// Handles a form event that a test sends instead of keys.
    mutating func take(_ event: FormEvent) -> ScreenAction<Request>?
    /// Handles the answer to a request, or the data that the screen has demanded.
    mutating func receive(_ reply: Reply)
    /// Sets the size for the next drawing.
    mutating func resize(to size: ScreenSize)
    /// Sets the current time.
    mutating func advance(to now: ContinuousClock.Instant)
    /// Draws everything except the notices. The frame is empty and may have any size.
    func draw(into frame: inout Frame)
}

/// The action that a screen requests after a key or an event.
package enum ScreenAction<Request: Sendable>: Sendable {
    /// Answer this request. Most screens are busy until the answer comes. If a screen is not busy and asks for something
    /// else, the earlier request is still performed, but its answer is dropped.
    case ask(Request)
    /// Leave the screen and discard the input.
    case leave
    /// Discard the input for this profile, and continue with another profile.
    case skip
    /// Leave the screen immediately (Ctrl-C).
    case interrupt
    /// Suspend the process (Ctrl-Z). Until the process continues, the shell uses the terminal.
    case suspend
    /// Draw the whole screen again (Ctrl-L), because another program has written on the terminal.
    case redraw
}

extension Screen {
    /// Handles any key.
    package mutating func handle(_ key: Key) -> ScreenAction<Request>? {
        switch key {
        case .control("c"): return .interrupt
        case .control("z"): return .suspend
        case .control("l"): return .redraw
        default: break
        }
        if let notice = notices.first {
            if notice.isClosed(by: key) { notices.removeFirst() }
            return nil
        }
        return isBusy ? nil : take(key)
    }

    /// Handles a form event from a test, unless a notice is open or the screen is busy.
    package mutating func handle(_ event: FormEvent) -> ScreenAction<Request>? {
        notices.isEmpty && !isBusy ? take(event) : nil
    }

    /// Returns the whole screen as a frame.
    package func frame(_ size: ScreenSize) -> Frame {
        var frame = Frame(size)
        draw(into: &frame)
        notices.first?.draw(into: &frame)
        return frame
    }

    /// The state of the screen as JSON: the details (`screen`, `title`, `focus`, `fields`, …), `notice` and `is_busy`.
    /// `notice` is an object with `title`, `text` and `button`, or null if no notice is open.
    package var state: JSONValue {
        .object(details + [JSONMember("notice", notices.first?.json ?? .null), JSONMember("is_busy", .bool(isBusy))])
    }

    package var nextChange: ContinuousClock.Instant? { nil }
    package var demand: Demand? { nil }
    package mutating func resize(to size: ScreenSize) {}
    package mutating func advance(to now: ContinuousClock.Instant) {}
}
