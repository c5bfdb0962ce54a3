internal import ProfileCore

/// Runs screens on a terminal, one after another. The loop passes keys and external requests to the screen, one at a
/// time, and draws the screen. It performs the requests of the screen in separate tasks, so the user can leave a screen
/// at any time.
///
/// If the user types keys between two screens, the next screen receives them. If the user types keys while a screen is
/// busy, and the screen then ends, the next screen receives them too.
package final class ScreenLoop: Sendable {
    private let device: any ScreenDevice
    private let inbox: ScreenInbox
    private let readers: [Task<Void, Never>]

    /// Creates a loop on a device. No other code may draw on the device or read its events.
    ///
    /// - Parameters:
    ///   - device: The terminal.
    ///   - requests: Requests that do not come from the keyboard; nil if there are none.
    package init(_ device: any ScreenDevice, requests: AsyncStream<ScreenRequest>? = nil) {
        let inbox = ScreenInbox()
        let keys = Task { for await event in device.events { inbox.put(.device(event)) } }
        let outside = requests.map { requests in
            Task { for await request in requests { inbox.put(.request(request)) } }
        }
        self.device = device
        self.inbox = inbox
        readers = [keys] + (outside.map { [$0] } ?? [])
    }

    deinit { readers.forEach { $0.cancel() } }

    /// If the user presses Ctrl-S twice by mistake, the second press usually comes within this time after the first.
    package static let repeatTime = Duration.milliseconds(300)

    /// Waits until a repeated Ctrl-S is no longer expected. In a restored terminal, Ctrl-S would stop all output (flow
    /// control with XOFF).
    package func waitForRepeats() async {
        while let last = inbox.lastSubmission, last.duration(to: .now) < Self.repeatTime {
            guard (try? await Task.sleep(until: last + Self.repeatTime, clock: .continuous)) != nil else { return }
        }
    }

    /// Runs a screen until it is done or left.
    ///
    /// - Parameters:
    ///   - screen: The screen.
    ///   - answer: Performs a request of the screen. The task of a request is cancelled if the screen ends during the
    ///     request, for example by Ctrl-C. The loop still waits for the result of the task: if the work was completed,
    ///     the loop reports it as done.
    ///   - supply: Provides the data that the screen demands, if it demands any. The task of a demand is cancelled when
    ///     the demand changes.
    /// - Returns: The way in which the screen ended.
    package func run<S: Screen, Value: Sendable>(
        _ screen: S, answering answer: @escaping @Sendable (S.Request) async throws -> ScreenAnswer<S.Reply, Value>,
        supplying supply: (@Sendable (S.Demand) async throws -> S.Reply)? = nil
    ) async -> ScreenEnding<Value> {
        defer { inbox.endScreen() }
        return await ScreenRun(inbox: inbox, device: device, answer: answer, supply: supply).untilItEnds(screen)
    }
}

/// A device that shows frames and provides keys: a terminal, or its replacement in a test.
package protocol ScreenDevice: Sendable {
    var size: ScreenSize { get }
    /// The events. Only one reader may read them.
    var events: AsyncStream<TerminalEvent> { get }
    func draw(_ frame: Frame)
    /// Makes the next `draw` write the whole frame instead of only the differences.
    func forgetDrawn()
    /// Suspends the process. Until the process continues, the shell uses the terminal.
    func suspend()
}

extension Terminal: ScreenDevice {}

/// The result of a screen's request.
package enum ScreenAnswer<Reply: Sendable, Value: Sendable>: Sendable {
    /// The screen continues with this reply.
    case reply(Reply)
    /// The screen has completed its work. The screen ends when the user closes the notice, or immediately if there is
    /// no notice.
    case done(Value, notice: NoticeScreen? = nil)
}

/// The way in which a screen ended.
package enum ScreenEnding<Value: Sendable>: Sendable {
    /// The screen completed its work.
    case done(Value)
    /// The user left the screen and discarded the input.
    case left
    /// The user skipped to another profile.
    case skipped
    /// The user pressed Ctrl-C.
    case interrupted
    /// A signal that should end the process has arrived.
    case signal(Int32)
    /// The terminal no longer exists.
    case closed
    /// An error occurred, and the screen cannot continue.
    case failed(any Error)
}

/// One run of a screen.
private struct ScreenRun<S: Screen, Value: Sendable> {
    typealias Answer = ScreenAnswer<S.Reply, Value>

    let inbox: ScreenInbox
    let device: any ScreenDevice
    let answer: @Sendable (S.Request) async throws -> Answer
    let supply: (@Sendable (S.Demand) async throws -> S.Reply)?

    func untilItEnds(_ screen: S) async -> ScreenEnding<Value> {
        var state = State(screen: screen)
        defer { state.end() }
        refresh(&state)
        seeToDemand(&state)
        var drawn = ContinuousClock.now
        while let event = await inbox.next(for: state.attention) {
            let isLast = inbox.isEmpty(for: state.attention)
            state.screen.advance(to: .now)
            if let ending = await take(event, &state) {
                guard let work = state.work?.task else { return ending }
                // If the work was completed in spite of the cancellation, the screen counts as done.
                work.cancel()
                if case .success(.done(let value, _)) = await work.value { return .done(value) }
                return ending
            }
            answerWaiting(&state)
            seeToDemand(&state)
            // If keys arrive faster than frames can be drawn, several keys share one frame. Otherwise a key such as
            // Ctrl-C would wait until all earlier frames are drawn.
            guard isLast || inbox.isEmpty(for: state.attention) || drawn.duration(to: .now) > .milliseconds(50) else {
                continue
            }
            refresh(&state)
            drawn = .now
        }
        return .closed
    }

    /// The mutable state of a run.
    private struct State {
        var screen: S
        var work: (number: Int, task: Task<Result<Answer, any Error>, Never>)?
        var supply: (number: Int, demand: S.Demand, task: Task<S.Reply, any Error>)?
        var alarm: (instant: ContinuousClock.Instant, task: Task<Void, Never>)?
        /// The result of the completed work, while a notice is still open.
        var outcome: Value?
        var waiting: [(condition: @Sendable (JSONValue) -> Bool, reply: @Sendable (JSONValue?) -> Void)] = []

        var attention: ScreenInbox.Attention { !screen.isBusy ? .screen : screen.notices.isEmpty ? .nothing : .notice }

        func end() {
            alarm?.task.cancel()
            supply?.task.cancel()
            for wait in waiting { wait.reply(nil) }
        }
    }

    private func take(_ event: ScreenInbox.Event, _ state: inout State) async -> ScreenEnding<Value>? {
        var action: ScreenAction<S.Request>?
        switch event {
        case .device(.key(let key)), .request(.key(let key)): action = state.screen.handle(key)
        case .device(.ended(let signal)): return state.outcome.map { .done($0) } ?? .signal(signal)
        case .device(.closed): return state.outcome.map { .done($0) } ?? .closed
        case .device(.resized), .device(.resumed), .timePassed: break
        case .request(.event(let event)): action = state.screen.handle(event)
        case .request(.notice(let notice)): state.screen.notices.append(notice)
        case .request(.stateWhen(let condition, let reply)): state.waiting.append((condition, reply))
        case .request(.leave): action = .leave
        case .finished(let number) where number == state.supply?.number:
            guard let supply = state.supply else { break }
            state.supply = nil
            switch await supply.task.result {
            case .failure(let error): return .failed(error)
            case .success(let reply): state.screen.receive(reply)
            }
        case .finished(let number):
            // Any other number belongs to a cancelled task of an earlier demand, or to the task of an earlier request.
            // The results of these tasks are dropped.
            guard let work = state.work, work.number == number else { break }
            state.work = nil
            switch await work.task.value {
            case .failure(let error): return .failed(error)
            case .success(.reply(let reply)):
                inbox.dropHeld()
                state.screen.receive(reply)
            case .success(.done(let value, let notice)):
                state.outcome = value
                if let notice { state.screen.notices.append(notice) }
            }
        }
        switch action {
        case nil: break
        case .ask(let request): state.work = start(request)
        case .suspend: device.suspend()
        case .redraw: device.forgetDrawn()
        // If the work is completed, the screen counts as done, even if the user closes the notice with Ctrl-C.
        case .leave: return state.outcome.map { .done($0) } ?? .left
        case .skip: return state.outcome.map { .done($0) } ?? .skipped
        case .interrupt: return state.outcome.map { .done($0) } ?? .interrupted
        }
        if let outcome = state.outcome, state.screen.notices.isEmpty { return .done(outcome) }
        return nil
    }

    private func start(_ request: S.Request) -> (number: Int, task: Task<Result<Answer, any Error>, Never>) {
        let number = inbox.makeNumber()
        let task = Task { [answer, inbox] in
            let result: Result<Answer, any Error>
            do { result = .success(try await answer(request)) } catch { result = .failure(error) }
            inbox.put(.finished(number))
            return result
        }
        return (number, task)
    }

    /// If the screen's demand has changed, cancels the task of the previous demand, and starts a task for the new
    /// demand.
    private func seeToDemand(_ state: inout State) {
        let demand = state.screen.demand
        guard let supply, demand != state.supply?.demand else { return }
        state.supply?.task.cancel()
        state.supply = demand.map { demand in
            let number = inbox.makeNumber()
            let task = Task { [inbox] in
                defer { inbox.put(.finished(number)) }
                return try await supply(demand)
            }
            return (number, demand, task)
        }
    }

    /// Replies to each waiting request if its condition is now true.
    private func answerWaiting(_ state: inout State) {
        guard !state.waiting.isEmpty else { return }
        let json = state.screen.state
        // Each condition is evaluated once, because a condition that depends on a clock may give another result a
        // moment later.
        state.waiting.removeAll { wait in
            guard wait.condition(json) else { return false }
            wait.reply(json)
            return true
        }
    }

    /// Draws the current frame, and starts a timer if the screen will change by itself.
    private func refresh(_ state: inout State) {
        let size = device.size
        state.screen.resize(to: size)
        device.draw(state.screen.frame(size))
        let next = state.screen.nextChange
        guard next != state.alarm?.instant else { return }
        state.alarm?.task.cancel()
        state.alarm = next.map { instant in
            let task = Task { [inbox] in
                guard (try? await Task.sleep(until: instant, clock: .continuous)) != nil else { return }
                inbox.put(.timePassed)
            }
            return (instant, task)
        }
    }
}
