internal import ProfileCore

/// Runs screens on a terminal, one after another: keys and requests from outside go in one by one, frames come out, and
/// what a screen asks for is done beside it, so that it can be left at any time.
///
/// What is typed while a screen is busy, or between two screens, is not lost: it reaches the next one.
package final class ScreenLoop: Sendable {
    private let device: any ScreenDevice
    private let inbox: ScreenInbox
    private let readers: [Task<Void, Never>]

    /// Runs screens on a device, on which nothing else draws, and whose events nobody else reads.
    ///
    /// - Parameters:
    ///   - device: The terminal.
    ///   - requests: What somebody outside wants; nil where there is nobody.
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

    /// How long after Ctrl-S one may press it again: a person's two presses are not further apart.
    package static let repeatTime = Duration.milliseconds(300)

    /// Waits until Ctrl-S is not pressed again by somebody who has pressed it twice: in a terminal that is given back it
    /// would stop all output.
    package func waitForRepeats() async {
        while let last = inbox.lastSubmission, last.duration(to: .now) < Self.repeatTime {
            guard (try? await Task.sleep(until: last + Self.repeatTime, clock: .continuous)) != nil else { return }
        }
    }

    /// Runs a screen until it is done or left.
    ///
    /// - Parameters:
    ///   - screen: What is shown.
    ///   - answer: Does what the screen asks for. Its task is cancelled when somebody presses Ctrl-C meanwhile, and
    ///     waited for: what was done is not taken for undone.
    ///   - supply: Finds what the screen demands, if it does. Its task is cancelled when the screen demands something else.
    /// - Returns: How it ended.
    package func run<S: Screen, Value: Sendable>(
        _ screen: S, answering answer: @escaping @Sendable (S.Request) async throws -> ScreenAnswer<S.Reply, Value>,
        supplying supply: (@Sendable (S.Demand) async throws -> S.Reply)? = nil
    ) async -> ScreenEnding<Value> {
        defer { inbox.endScreen() }
        return await ScreenRun(inbox: inbox, device: device, answer: answer, supply: supply).untilItEnds(screen)
    }
}

/// Where a screen is drawn and keys come from: a terminal, or what a test has in its place.
package protocol ScreenDevice: Sendable {
    var size: ScreenSize { get }
    /// Read by one reader.
    var events: AsyncStream<TerminalEvent> { get }
    func draw(_ frame: Frame)
    /// Draws all of the next frame, and not only what differs.
    func forgetDrawn()
    /// Lets the shell have the terminal until the process is continued.
    func suspend()
}

extension Terminal: ScreenDevice {}

/// What comes of a screen's request.
package enum ScreenAnswer<Reply: Sendable, Value: Sendable>: Sendable {
    /// The screen goes on with this.
    case reply(Reply)
    /// The screen has done its work, and is left as soon as the notice is closed, if there is one.
    case done(Value, notice: NoticeScreen? = nil)
}

/// How a screen was left.
package enum ScreenEnding<Value: Sendable>: Sendable {
    /// With its work done.
    case done(Value)
    /// By somebody who did not want what was typed.
    case left
    /// By somebody who wants to go on with another profile.
    case skipped
    /// By Ctrl-C.
    case interrupted
    /// By a signal that should end the process.
    case signal(Int32)
    /// Since the terminal is gone.
    case closed
    /// By an error after which there is no going on.
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
                // What is under way may be done already, whatever was pressed.
                work.cancel()
                if case .success(.done(let value, _)) = await work.value { return .done(value) }
                return ending
            }
            answerWaiting(&state)
            seeToDemand(&state)
            // Keys that come faster than they can be drawn are drawn together, so that none waits for pictures that nobody
            // sees, Ctrl-C least of all.
            guard isLast || inbox.isEmpty(for: state.attention) || drawn.duration(to: .now) > .milliseconds(50) else {
                continue
            }
            refresh(&state)
            drawn = .now
        }
        return .closed
    }

    /// What changes while it runs.
    private struct State {
        var screen: S
        var work: (number: Int, task: Task<Result<Answer, any Error>, Never>)?
        var supply: (number: Int, demand: S.Demand, task: Task<S.Reply, any Error>)?
        var alarm: (instant: ContinuousClock.Instant, task: Task<Void, Never>)?
        /// What is left to do is to close a notice.
        var outcome: Value?
        var waiting: [(condition: @Sendable (JSONValue) -> Bool, reply: @Sendable (JSONValue?) -> Void)] = []

        var attention: ScreenInbox.Attention { !screen.isBusy ? .screen : screen.notices.isEmpty ? .nobody : .notice }

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
            // Or it was demanded, and given up since.
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
        // What is done is done, whichever key closes its notice.
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

    /// Sees to what the screen has to be told next.
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

    /// Tells those who wait for what is the case now.
    private func answerWaiting(_ state: inout State) {
        guard !state.waiting.isEmpty else { return }
        let json = state.screen.state
        // Each condition is asked once: one that goes by a clock may answer otherwise a moment later.
        state.waiting.removeAll { wait in
            guard wait.condition(json) else { return false }
            wait.reply(json)
            return true
        }
    }

    /// Draws what is to be seen now, and sees to the next change by time.
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
