package import ProfileCore
package import ProfileForm

/// What a person sees and types into: a pure value that takes keys, can be drawn, and says what it wants done.
///
/// ``ScreenLoop`` brings it to a terminal. It knows neither terminal, store nor clock, so that a test can press every
/// key and look at every frame.
package protocol Screen: Sendable {
    /// What it asks of whoever runs it, such as to store a profile.
    associatedtype Request: Sendable
    /// What they answer.
    associatedtype Reply: Sendable
    /// What it has to be told to show more, such as the rows of a table; a screen that shows what it has needs nothing.
    associatedtype Demand: Hashable, Sendable = Never

    /// Shown over the screen, the first one first; each takes all keys until it is closed.
    var notices: [NoticeScreen] { get set }
    /// Whether a request is under way: no key is taken then but those that leave; ``ScreenLoop`` keeps the others.
    var isBusy: Bool { get }
    /// When it will look different without a key, as a countdown does; nil for not at all.
    var nextChange: ContinuousClock.Instant? { get }
    /// What it has to be told next. It is asked for again after everything that happens, and what was under way for
    /// another demand is given up: so it takes keys meanwhile.
    var demand: Demand? { get }
    /// What there is to know of it; see ``Screen/state``.
    var details: [JSONMember] { get }

    /// Takes a key that no notice took.
    mutating func take(_ key: Key) -> ScreenAction<Request>?
    /// Takes an event from outside, as a test sends it in the place of keys.
    mutating func take(_ event: FormEvent) -> ScreenAction<Request>?
    /// Takes the answer to its request, or what it demanded.
    mutating func receive(_ reply: Reply)
    /// Learns how large it is drawn next.
    mutating func resize(to size: ScreenSize)
    /// Learns what time it is.
    mutating func advance(to now: ContinuousClock.Instant)
    /// Draws all but the notices; the frame is empty, and of any size.
    func draw(into frame: inout Frame)
}

/// What a screen wants to happen.
package enum ScreenAction<Request: Sendable>: Sendable {
    /// An answer to this; until it comes the screen is busy.
    case ask(Request)
    /// To be left: nobody wants what was typed.
    case leave
    /// To be left for another profile: nobody wants what was typed for this one.
    case skip
    /// To be left at once, as Ctrl-C says.
    case interrupt
    /// To let the shell have the terminal for a while, as Ctrl-Z says.
    case suspend
    /// To draw all of it again, as Ctrl-L says: something else has written on the terminal.
    case redraw
}

extension Screen {
    /// Takes any key.
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

    /// Takes an event from outside, unless a notice is in its way.
    package mutating func handle(_ event: FormEvent) -> ScreenAction<Request>? {
        notices.isEmpty && !isBusy ? take(event) : nil
    }

    /// The whole screen.
    package func frame(_ size: ScreenSize) -> Frame {
        var frame = Frame(size)
        draw(into: &frame)
        notices.first?.draw(into: &frame)
        return frame
    }

    /// What there is to know of the screen, as JSON: its details (`screen`, `title`, `focus`, `fields`, …), and the
    /// notice over it with `title`, `text` and `button`, or null.
    package var state: JSONValue {
        .object(details + [JSONMember("notice", notices.first?.json ?? .null), JSONMember("is_busy", .bool(isBusy))])
    }

    package var nextChange: ContinuousClock.Instant? { nil }
    package var demand: Demand? { nil }
    package mutating func resize(to size: ScreenSize) {}
    package mutating func advance(to now: ContinuousClock.Instant) {}
}
