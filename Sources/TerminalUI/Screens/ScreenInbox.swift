internal import Synchronization
internal import Threads

/// What one screen after another has to deal with, in the order in which it came.
///
/// Keys that come while a screen is busy wait for it, or for the screen after it; all else is dealt with at once.
final class ScreenInbox: Sendable {
    enum Event: Sendable {
        case device(TerminalEvent)
        case request(ScreenRequest)
        /// Work that was begun for the screen, by its number, is done.
        case finished(Int)
        case timePassed
    }

    /// Whom keys are for.
    enum Attention: Sendable {
        /// The screen takes them, first those that have waited.
        case screen
        /// What is over a busy screen takes them; those that have waited are not for it.
        case notice
        /// Nobody takes them for now, but those that leave.
        case nobody
    }

    private let state = Mutex(State())

    private struct State {
        var events = Queue<Event>()
        /// Keys that wait.
        var held = Queue<Event>()
        var lastNumber = 0
        /// When Ctrl-S came last.
        var lastSubmission: ContinuousClock.Instant?
        var waiting: (next: Promise<Event?>, attention: Attention)?

        mutating func take(_ attention: Attention) -> Event? {
            if attention == .screen, let event = held.popFirst() { return event }
            while let event = events.popFirst() {
                guard attention == .nobody, event.waits else { return event }
                // Who presses Ctrl-S again has asked for what is under way.
                if event.key != .control("s") { held.append(event) }
            }
            return nil
        }
    }

    func put(_ event: Event) {
        state.withLock { state in
            if event.key == .control("s") { state.lastSubmission = .now }
            state.events.append(event)
            guard let waiting = state.waiting, let next = state.take(waiting.attention) else { return }
            state.waiting = nil
            waiting.next.fulfill(with: next)
        }
    }

    /// Waits for what is next.
    ///
    /// - Returns: Nil where the task is cancelled.
    func next(for attention: Attention) async -> Event? {
        let next = Promise<Event?>()
        state.withLock { state in
            if let event = state.take(attention) {
                next.fulfill(with: event)
            } else {
                state.waiting = (next, attention)
            }
        }
        return await next.value {
            state.withLock { state in
                state.waiting?.next.fulfill(with: nil)
                state.waiting = nil
            }
        }
    }

    /// Whether there is nothing to deal with for now.
    func isEmpty(for attention: Attention) -> Bool {
        state.withLock { state in
            switch attention {
            case .screen: state.events.isEmpty && state.held.isEmpty
            case .notice: state.events.isEmpty
            case .nobody: !state.events.contains { !$0.waits }
            }
        }
    }

    /// When Ctrl-S came last, from whatever screen.
    var lastSubmission: ContinuousClock.Instant? { state.withLock { $0.lastSubmission } }

    /// A number for work that begins, which no other has.
    func makeNumber() -> Int {
        state.withLock { state in
            state.lastNumber += 1
            return state.lastNumber
        }
    }

    /// Forgets the keys that have waited: what came of the request is not what they were pressed for.
    func dropHeld() { state.withLock { $0.held = Queue() } }

    /// Leaves nothing to the next screen but what is for any.
    func endScreen() {
        state.withLock { state in
            var rest = Queue<Event>()
            while let event = state.events.popFirst() {
                switch event {
                case .device, .request: rest.append(event)
                case .finished, .timePassed: break
                }
            }
            state.events = rest
        }
    }
}

extension ScreenInbox.Event {
    fileprivate var key: Key? {
        switch self {
        case .device(.key(let key)), .request(.key(let key)): key
        default: nil
        }
    }

    /// Whether it is for a screen that is not busy.
    fileprivate var waits: Bool { key.map { $0 != .control("c") && $0 != .control("z") } ?? false }
}

/// First in, first out. What went out is forgotten: keys may be those of a secret.
private struct Queue<Element> {
    private var elements: [Element?] = []
    private var start = 0

    var isEmpty: Bool { start == elements.count }

    func contains(where isWanted: (Element) -> Bool) -> Bool {
        elements[start...].contains { $0.map(isWanted) ?? false }
    }

    mutating func append(_ element: Element) { elements.append(element) }

    mutating func popFirst() -> Element? {
        guard start < elements.count else { return nil }
        defer {
            elements[start] = nil
            start += 1
            if start == elements.count {
                elements.removeAll(keepingCapacity: start <= 4_096)
                start = 0
            }
        }
        return elements[start]
    }
}
