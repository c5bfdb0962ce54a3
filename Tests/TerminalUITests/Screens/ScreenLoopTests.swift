import ProfileCore
import ProfileForm
import Synchronization
import TerminalUI
import Testing
import Watchdog

/// The loop that runs a screen, on a test device instead of a terminal.
@Suite(.watched) struct ScreenLoopTests {
    private typealias Answer = ScreenAnswer<FormScreen.Reply, String>

    @Test func `keys go in, frames come out, and requests are performed`() async {
        let device = FakeDevice()
        for key in FormScreen.registeringKeys { device.send(.key(key)) }
        let ending = await ScreenLoop(device).run(FormScreen.registering()) { request -> Answer in
            guard case .store(let profile, _) = request else { return .reply(.failed("not asked for")) }
            return .done(profile.username)
        }
        guard case .done("skboard") = ending else {
            Issue.record("ended otherwise: \(ending)")
            return
        }
        #expect(device.frames.first?.text.contains("Register a profile") == true)
        #expect(device.frames.last?.text.contains("Storing …") == true)
    }

    @Test func `a reply goes to the screen, which goes on`() async {
        let device = FakeDevice()
        let tries = Mutex(0)
        device.whenShown("Username is taken", send: [.character("2"), .control("s")])
        for key in FormScreen.registeringKeys { device.send(.key(key)) }
        let ending = await ScreenLoop(device).run(FormScreen.registering()) { request -> Answer in
            guard case .store(let profile, _) = request else { return .reply(.failed("not asked for")) }
            let isFirst = tries.withLock {
                $0 += 1
                return $0 == 1
            }
            return isFirst
                ? .reply(.refused([ValidationIssue(.username, .duplicate(line: nil))])) : .done(profile.username)
        }
        guard case .done("skboard2") = ending else {
            Issue.record("ended otherwise: \(ending)")
            return
        }
    }

    @Test func `L5: a finished screen ends when its notice is closed`() async {
        let device = FakeDevice()
        device.whenShown("Hello skboard", send: [.character("x"), .enter])
        for key in FormScreen.registeringKeys { device.send(.key(key)) }
        let ending = await ScreenLoop(device).run(FormScreen.registering()) { _ -> Answer in
            .done("done", notice: .success("Hello skboard"))
        }
        guard case .done("done") = ending else {
            Issue.record("ended otherwise: \(ending)")
            return
        }
    }

    @Test func `keys that are typed while a screen is busy reach the next screen, except Ctrl-S`() async {
        let device = FakeDevice()
        let loop = ScreenLoop(device)
        let gate = AsyncStream.makeStream(of: Void.self)
        for key in FormScreen.registeringKeys { device.send(.key(key)) }
        // The second Ctrl-S is a repetition of the first.
        for key in [.control("s"), .character("a"), .control("s"), .character("n"), .enter] as [Key] {
            device.send(.key(key))
        }
        device.whenShown("Storing …", send: [.control("z")])
        device.whenSuspended { gate.continuation.finish() }
        let first = await loop.run(FormScreen.registering()) { _ -> Answer in
            for await _ in gate.stream {}
            return .done("stored")
        }
        guard case .done("stored") = first else {
            Issue.record("ended otherwise: \(first)")
            return
        }
        device.whenShown("Password should have", send: [.control("c")])
        device.whenShown("3–64 letters", send: [.character("x"), .tab])
        let second = await loop.run(FormScreen.registering()) { _ -> Answer in .done("") }
        guard case .interrupted = second else {
            Issue.record("ended otherwise: \(second)")
            return
        }
        #expect(device.frames.last?.text.contains("[an ") == true)
        #expect(device.frames.allSatisfy { !$0.text.contains("Not stored yet") })
    }

    @Test func `keys for the next screen are dropped if the form is refused`() async {
        let device = FakeDevice()
        let gate = AsyncStream.makeStream(of: Void.self)
        device.whenShown("Storing …", send: [.character("x"), .enter, .control("z")])
        device.whenSuspended { gate.continuation.finish() }
        device.whenShown("Username is taken", send: [.control("c")])
        for key in FormScreen.registeringKeys { device.send(.key(key)) }
        let ending = await ScreenLoop(device).run(FormScreen.registering()) { _ -> Answer in
            for await _ in gate.stream {}
            return .reply(.refused([ValidationIssue(.username, .duplicate(line: nil))]))
        }
        guard case .interrupted = ending else {
            Issue.record("ended otherwise: \(ending)")
            return
        }
        #expect(device.frames.last?.text.contains("[skboard ") == true)
    }

    @Test func `the screen keeps the terminal until the time for a repeated Ctrl-S has passed`() async {
        let device = FakeDevice()
        let loop = ScreenLoop(device)
        await loop.waitForRepeats()
        for key in FormScreen.registeringKeys.dropLast() + [.control("s")] { device.send(.key(key)) }
        let start = ContinuousClock.now
        _ = await loop.run(FormScreen.registering()) { _ -> Answer in .done("stored") }
        await loop.waitForRepeats()
        #expect(start.duration(to: .now) >= ScreenLoop.repeatTime)
    }

    @Test func `Ctrl-C cancels the request, and the screen waits for its end`() async {
        let device = FakeDevice()
        device.whenShown("Storing …", send: [.control("c")])
        for key in FormScreen.registeringKeys { device.send(.key(key)) }
        let ending = await ScreenLoop(device).run(FormScreen.registering()) { _ -> Answer in
            await waitUntilCancelled()
            throw CancellationError()
        }
        guard case .interrupted = ending else {
            Issue.record("ended otherwise: \(ending)")
            return
        }
    }

    @Test func `a completed request is reported as done, even if Ctrl-C came before its answer`() async {
        let device = FakeDevice()
        device.whenShown("Storing …", send: [.control("c")])
        for key in FormScreen.registeringKeys { device.send(.key(key)) }
        let ending = await ScreenLoop(device).run(FormScreen.registering()) { _ -> Answer in
            // The request completes in spite of the cancellation, as after a commit.
            await waitUntilCancelled()
            return .done("stored")
        }
        guard case .done("stored") = ending else {
            Issue.record("ended otherwise: \(ending)")
            return
        }
    }

    @Test func `Ctrl-L draws all of the screen again, also one that is busy`() async {
        let device = FakeDevice()
        device.whenShown("Storing …", send: [.control("l"), .control("c")])
        device.send(.key(.control("l")))
        for key in FormScreen.registeringKeys { device.send(.key(key)) }
        _ = await ScreenLoop(device).run(FormScreen.registering()) { _ -> Answer in
            await waitUntilCancelled()
            throw CancellationError()
        }
        #expect(device.forgotten >= 1)
    }

    @Test func `keys work while a demand is answered, and a new demand cancels the old one`() async {
        let device = FakeDevice()
        let given = Mutex<[String]>([])
        let people = BrowsedPeople(50)
        // The rows of the first view never come.
        device.send(.key(.character("/")))
        device.send(.key(.character("4")))
        device.whenShown("person4", send: [.enter, .escape, .escape])
        let ending = await ScreenLoop(device).run(BrowseScreen(columns: BrowsedPeople.columns)) { _ in
            ScreenAnswer<BrowseScreen.Reply, Never>.reply(.failed("not asked for"))
        } supplying: { demand in
            guard case .rows(let view, _, _) = demand, view.search.isEmpty else { return people.answer(demand) }
            await waitUntilCancelled()
            given.withLock { $0.append("given up") }
            return people.answer(demand)
        }
        guard case .left = ending else {
            Issue.record("ended otherwise: \(ending)")
            return
        }
        #expect(given.withLock { $0.first } == "given up")
        #expect(device.frames.first?.text.contains("reading …") == true)
    }

    @Test func `a screen ends with the error of its demand`() async {
        let ending = await ScreenLoop(FakeDevice()).run(BrowseScreen(columns: BrowsedPeople.columns)) { _ in
            ScreenAnswer<BrowseScreen.Reply, Never>.reply(.failed("not asked for"))
        } supplying: { _ in
            throw CancellationError()
        }
        guard case .failed = ending else {
            Issue.record("ended otherwise: \(ending)")
            return
        }
    }

    @Test func `events of the terminal end the screen, draw it again or suspend it`() async {
        let device = FakeDevice()
        device.send(.key(.control("z")))
        device.size = ScreenSize(columns: 40, rows: 15)
        device.send(.resized(ScreenSize(columns: 40, rows: 15)))
        device.send(.ended(signal: 15))
        let ending = await ScreenLoop(device).run(FormScreen.registering()) { _ -> Answer in .done("") }
        guard case .signal(15) = ending else {
            Issue.record("ended otherwise: \(ending)")
            return
        }
        #expect(device.suspensions == 1)
        #expect(device.frames.last?.size == ScreenSize(columns: 40, rows: 15))
        let gone = FakeDevice()
        gone.send(.closed)
        guard
            case .closed = await ScreenLoop(gone).run(FormScreen.registering(), answering: { _ -> Answer in .done("") })
        else {
            Issue.record("did not end")
            return
        }
    }

    @Test func `T4: requests from outside type, show a notice, read the state and wait for a state`() async {
        let (requests, outside) = AsyncStream.makeStream(of: ScreenRequest.self)
        let device = FakeDevice()
        let states = Mutex<[String]>([])
        let note: @Sendable (JSONValue?) -> Void = { state in states.withLock { $0.append(state?.text() ?? "left") } }
        outside.yield(
            .stateWhen({ $0.text().contains("skboard") }) { state in
                note(state)
                outside.yield(.leave)
            })
        outside.yield(.stateWhen({ _ in false }, reply: note))
        outside.yield(.state(note))
        outside.yield(.notice(.welcome))
        // The notice is open, so the form does not get this text.
        outside.yield(.event(.paste("nobody")))
        outside.yield(.state(note))
        outside.yield(.key(.enter))
        outside.yield(.event(.paste("skboard")))
        let ending = await ScreenLoop(device, requests: requests).run(FormScreen.registering()) { _ -> Answer in
            .done("")
        }
        guard case .left = ending else {
            Issue.record("ended otherwise: \(ending)")
            return
        }
        let seen = states.withLock { $0 }
        #expect(seen.count == 4)
        #expect(seen[0].contains(#""screen":"register""#) && seen[0].contains(#""notice":null"#))
        #expect(seen[1].contains("Welcome to this awesome app!") && !seen[1].contains("nobody"))
        #expect(seen[2].contains("skboard"))
        #expect(seen[3] == "left")
    }

    @Test func `T4: a wait is answered if its condition becomes true while it is checked`() async {
        let (requests, outside) = AsyncStream.makeStream(of: ScreenRequest.self)
        let looks = Mutex(0)
        let answers = Mutex<[Bool]>([])
        let isLaterLook: @Sendable (JSONValue) -> Bool = { _ in
            looks.withLock { looks in
                looks += 1
                return looks > 1
            }
        }
        outside.yield(.stateWhen(isLaterLook) { state in answers.withLock { $0.append(state != nil) } })
        outside.yield(.event(.paste("skboard")))
        outside.yield(.leave)
        _ = await ScreenLoop(FakeDevice(), requests: requests).run(FormScreen.registering()) { _ -> Answer in .done("")
        }
        #expect(answers.withLock { $0 } == [true])
    }

    @Test func `a countdown is drawn as time passes`() async {
        let device = FakeDevice()
        device.whenShown("You may try again", send: [.control("c")])
        device.send(.key(.character("x")))
        device.send(.key(.enter))
        let screen = EntryScreen(
            [.init(name: "present", label: "Passcode")], name: "passcode", title: "Validate Pass Code",
            submitting: "go")
        let ending = await ScreenLoop(device).run(screen) { _ -> ScreenAnswer<EntryScreen.Reply, String> in
            .reply(.throttled(milliseconds: 1_001))
        }
        guard case .interrupted = ending else {
            Issue.record("ended otherwise: \(ending)")
            return
        }
        let shown = device.frames.map(\.text)
        for text in ["again in 2 s", "again in 1 s", "You may try again"] {
            #expect(shown.contains { $0.contains(text) }, "\(text)")
        }
    }
}

/// Keeps the drawn frames, and sends keys when a frame shows a certain text.
private final class FakeDevice: ScreenDevice {
    private struct State {
        var size = ScreenSize(columns: 80, rows: 24)
        var frames: [Frame] = []
        var suspensions = 0
        var forgotten = 0
        var reactions: [(text: String, keys: [Key])] = []
        var suspended: @Sendable () -> Void = {}
    }

    let events: AsyncStream<TerminalEvent>
    private let sender: AsyncStream<TerminalEvent>.Continuation
    private let state = Mutex(State())

    init() { (events, sender) = AsyncStream.makeStream() }

    func send(_ event: TerminalEvent) { sender.yield(event) }

    func whenShown(_ text: String, send keys: [Key]) { state.withLock { $0.reactions.append((text, keys)) } }

    var size: ScreenSize {
        get { state.withLock { $0.size } }
        set { state.withLock { $0.size = newValue } }
    }

    var frames: [Frame] { state.withLock { $0.frames } }
    var suspensions: Int { state.withLock { $0.suspensions } }
    var forgotten: Int { state.withLock { $0.forgotten } }

    func draw(_ frame: Frame) {
        let keys = state.withLock { state in
            state.frames.append(frame)
            guard let index = state.reactions.firstIndex(where: { frame.text.contains($0.text) }) else {
                return [Key]()
            }
            return state.reactions.remove(at: index).keys
        }
        for key in keys { send(.key(key)) }
    }

    func whenSuspended(_ body: @escaping @Sendable () -> Void) { state.withLock { $0.suspended = body } }

    func forgetDrawn() { state.withLock { $0.forgotten += 1 } }

    func suspend() {
        let body = state.withLock { state in
            state.suspensions += 1
            return state.suspended
        }
        body()
    }
}

extension FormScreen {
    /// What a person types to register.
    fileprivate static let registeringKeys: [Key] =
        "skboard\naK8oio\n78761241\n12 Main Street\n\n\n".map { $0 == "\n" ? .enter : .character($0) }
}
