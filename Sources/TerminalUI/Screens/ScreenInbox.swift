internal import Threads

/// A queue of events in the order of their arrival. One screen after another reads the queue.
///
/// While a screen is busy, new keys wait. If the screen ends, the next screen takes the waiting keys. If the screen
/// gets a reply and continues, the waiting keys are discarded. All other events are handled immediately.
final class ScreenInbox: Sendable {
    enum Event: Sendable {
        case device(TerminalEvent)
        case request(ScreenRequest)
        /// A task of the screen has ended. The value is the number of the task.
        case finished(Int)
        case timePassed
    }

    /// The receiver of keys.
    enum Attention: Sendable {
        /// The screen takes the keys. Waiting keys come first.
        case screen
        /// A notice covers a busy screen. The notice takes new keys, but it does not take waiting keys.
        case notice
        /// Only Ctrl-C and Ctrl-Z are taken. All other keys wait.
        case nothing
    }

    private let state = Locked(State())

    private struct State {
        var events = Queue<Event>()
        /// The waiting keys.
        var held = Queue<Event>()
        var lastNumber = 0
        /// The time of the last Ctrl-S.
        var lastSubmission: ContinuousClock.Instant?
        var waiting: (next: Promise<Event?>, attention: Attention)?

        mutating func take(_ attention: Attention) -> Event? {
            if attention == .screen, let event = held.popFirst() { return event }
            while let event = events.popFirst() {
                guard attention == .nothing, event.waits else { return event }
                // A repeated Ctrl-S is dropped, because its request is already in progress.
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

    /// Waits for the next event.
    ///
    /// - Returns: The event; nil if the task is cancelled.
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

    /// Whether the queue contains no event that can be handled now.
    func isEmpty(for attention: Attention) -> Bool {
        state.withLock { state in
            switch attention {
            case .screen: state.events.isEmpty && state.held.isEmpty
            case .notice: state.events.isEmpty
            case .nothing: !state.events.contains { !$0.waits }
            }
        }
    }

    /// The time of the last Ctrl-S on any screen.
    var lastSubmission: ContinuousClock.Instant? { state.withLock { $0.lastSubmission } }

    /// Returns a unique number for a new task.
    func makeNumber() -> Int {
        state.withLock { state in
            state.lastNumber += 1
            return state.lastNumber
        }
    }

    /// Discards the waiting keys. The user pressed these keys before the answer changed the screen.
    func dropHeld() { state.withLock { $0.held = Queue() } }

    /// Keeps the events of the device and the external requests for the next screen. Discards the events of the ended
    /// screen's tasks and timers.
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

    /// Whether the event must wait while the screen is busy.
    fileprivate var waits: Bool { key.map { $0 != .control("c") && $0 != .control("z") } ?? false }
}

/// A first-in, first-out queue. Removed elements are released immediately, because a key may be a character of a
/// secret.
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
