import Dispatch
import Platform
import ProfileStore
import ProfileStoreSQLite
import ProfileTesting
import StoreFixtures
import Synchronization
import Testing
import Watchdog

/// T1 and T2: named signals between processes.
@Suite(.watched) struct BeeperTests {
    private let store: TemporaryStore
    private let sockets: String

    init() throws {
        store = try TemporaryStore()
        sockets = store.directory + "/sockets"
    }

    private func beeper(_ prefix: String = "test", store path: String? = nil) throws -> Beeper {
        try Beeper(store: path ?? store.path, prefix: prefix, directory: sockets)
    }

    private let nobody = Beeper.Delivery()

    // MARK: Between processes

    @Test func `T1: several listeners in several processes each hear one beep once`() async throws {
        let children = try (0..<4).map { _ in try ExerciserProcess("listen", store.path, sockets, "bell") }
        for child in children { #expect(child.nextLine() == "ready") }
        let here = [Heard(), Heard()]
        let beepers = [try beeper(), try beeper()]
        for (beeper, heard) in zip(beepers, here) { try beeper.register("bell", handler: heard.handler) }
        let other = try ExerciserProcess("beep", store.path, sockets, "bell")
        #expect(await other.finish().lines == ["6"])
        for heard in here { #expect(heard.wait()) }
        for child in children { #expect(child.nextLine() == "heard") }
        for child in children { #expect(await child.finish().lines == ["end"]) }
        #expect(here.map(\.count) == [1, 1])
        // A beeper listens as long as it exists.
        withExtendedLifetime(beepers) {}
    }

    @Test func `T1: a listener that was killed is cleaned up by the next beep`() async throws {
        let child = try ExerciserProcess("listen", store.path, sockets, "bell")
        #expect(child.nextLine() == "ready")
        #expect(SmallFile.names(in: sockets).count == 1)
        child.kill()
        #expect(await child.finish().code == 137)
        let heard = Heard()
        let beeper = try beeper()
        try beeper.register("bell", handler: heard.handler)
        let first = beeper.beep("bell")
        #expect(first.delivered == 1 && first.removed == 1 && first.lagging == 0)
        #expect(heard.wait())
        let second = beeper.beep("bell")
        #expect(second.delivered == 1 && second.removed == 0)
        beeper.unregister("bell")
        #expect(SmallFile.names(in: sockets) == [])
    }

    // MARK: Registering

    @Test func `T1: registering again replaces the handler`() throws {
        let beeper = try beeper()
        let first = Heard()
        let second = Heard()
        try beeper.register("bell", handler: first.handler)
        try beeper.register("bell", handler: second.handler)
        #expect(SmallFile.names(in: sockets).count == 1)
        #expect(beeper.beep("bell").delivered == 1)
        #expect(second.wait())
        #expect(first.count == 0 && second.count == 1)
    }

    @Test func `T1: nothing is delivered after unregister, not even the beeps before it`() throws {
        let beeper = try beeper()
        let heard = Heard()
        try beeper.register("bell", handler: heard.heldHandler)
        #expect(beeper.beep("bell").delivered == 1)
        #expect(heard.wait())
        // Two more beeps wait behind the one whose handler runs.
        for _ in 0..<2 { #expect(beeper.beep("bell").delivered == 1) }
        let isOver = Mutex(false)
        let ended = DispatchSemaphore(value: 0)
        DispatchQueue(label: "unregister").async {
            beeper.unregister("bell")
            isOver.withLock { $0 = true }
            ended.signal()
        }
        // The name is free as soon as its socket is removed. The call of `unregister` waits for the handler.
        while !SmallFile.names(in: sockets).isEmpty { sched_yield() }
        #expect(!isOver.withLock { $0 })
        heard.letGo()
        #expect(ended.wait(timeout: .now() + 30) == .success)
        #expect(heard.count == 1)
        #expect(beeper.beep("bell") == nobody)
        #expect(heard.count == 1)
    }

    @Test func `T1: a handler may unregister itself, register another name, and beep`() throws {
        let beeper = try beeper()
        let heard = Heard()
        let handler = heard.handler
        try beeper.register("first") {
            beeper.unregister("first")
            try? beeper.register("second", handler: handler)
            beeper.beep("first")
            beeper.beep("second")
        }
        beeper.beep("first")
        #expect(heard.wait())
        #expect(heard.count == 1)
        #expect(beeper.beep("first") == nobody)
        beeper.unregister("second")
    }

    @Test func `T1: names without a listener are ignored`() throws {
        let beeper = try beeper()
        #expect(beeper.beep("bell") == nobody)
        #expect(SmallFile.names(in: store.directory) == [], "who only beeps makes nothing")
        beeper.unregister("bell")
        let heard = Heard()
        try beeper.register("bell", handler: heard.handler)
        #expect(beeper.beep("Bell") == nobody)
        #expect(beeper.beep("bell").delivered == 1)
        #expect(heard.wait())
        #expect(heard.count == 1)
    }

    @Test func `a beeper that is released removes its listeners`() throws {
        do {
            let beeper = try beeper()
            try beeper.register("bell") {}
            #expect(SmallFile.names(in: sockets).count == 1)
        }
        #expect(SmallFile.names(in: sockets) == [])
    }

    // MARK: Names

    @Test(
        "T2: a name may be any text of any length",
        arguments: ["", ".", "a.b", "/etc/passwd", "../x", "\0", "日本語 🎉", String(repeating: "long ", count: 200_000)])
    func name(_ name: String) throws {
        let beeper = try beeper()
        let heard = Heard()
        try beeper.register(name, handler: heard.handler)
        #expect(beeper.beep(name + "!") == nobody)
        #expect(beeper.beep(name).delivered == 1)
        #expect(heard.wait())
        beeper.unregister(name)
        #expect(beeper.beep(name) == nobody)
        #expect(heard.count == 1)
    }

    @Test func `T2: strings that Swift calls equal are one name`() throws {
        let beeper = try beeper()
        let heard = Heard()
        try beeper.register("caf\u{E9}", handler: heard.handler)
        #expect(beeper.beep("cafe\u{301}").delivered == 1)
        #expect(heard.wait())
    }

    @Test func `T1: a message between processes is the prefix, a dot and the encoded identifier`() throws {
        let beeper = try beeper("com.example")
        try beeper.register("a.b é/%") {}
        let own = try #require(SmallFile.names(in: sockets).first)
        beeper.unregister("a.b é/%")
        let socket = try RawSocket(at: sockets + "/" + own)
        #expect(beeper.beep("a.b é/%").delivered == 1)
        #expect(socket.received() == ["com.example.a%2Eb%20%C3%A9%2F%25"])
        // No beeper sends these texts, and no handler may run because of them.
        let heard = Heard()
        try beeper.register("a.b é/%", handler: heard.handler)
        let name = try #require(SmallFile.names(in: sockets).first { $0 != own })
        for text in ["", "com.example.a", "com.example.a%2Eb%20%C3%A9%2F%25 and more"] {
            #expect(socket.send(text, to: sockets + "/" + name))
        }
        beeper.beep("a.b é/%")
        #expect(heard.wait())
        #expect(heard.count == 1)
    }

    @Test func `T2: two spellings of a store's path are one store; another store and another prefix are not`() throws {
        let listener = try beeper()
        let heard = Heard()
        try listener.register("bell", handler: heard.handler)
        symlink(store.path, store.directory + "/link.sqlite")
        try SmallFile.write([], to: store.path)
        let spellings = [
            store.directory + "/link.sqlite", store.directory + "/./profiles.sqlite",
            "/proc/self/root" + store.path,
        ]
        for path in spellings { #expect(try beeper(store: path).beep("bell").delivered == 1, "\(path)") }
        #expect(heard.wait(times: spellings.count))
        #expect(try beeper(store: store.directory + "/other.sqlite").beep("bell") == nobody)
        #expect(try beeper("testing").beep("bell") == nobody)
        #expect(heard.count == spellings.count)
    }

    @Test(arguments: ["", "a b", "é", "a/b", "a%", String(repeating: "a", count: 65)])
    func `a prefix that is not valid is refused`(prefix: String) throws {
        #expect(throws: BeeperError.invalidPrefix(prefix)) { try beeper(prefix) }
    }

    @Test func `a store in a folder that is not there is refused`() throws {
        #expect(throws: BeeperError.cannotOpen(path: "/nowhere/x.sqlite", code: ENOENT)) {
            try beeper(store: "/nowhere/x.sqlite")
        }
    }

    // MARK: Slow listeners

    @Test func `T2: a slow listener lags, delays no other one, and hears every beep that was delivered`() throws {
        let slow = Heard()
        let listener = try beeper()
        try listener.register("bell", handler: slow.heldHandler)
        let quick = Heard()
        let other = try beeper()
        try other.register("bell", handler: quick.handler)
        let beeper = try beeper()
        var delivered = 0
        var lagged = 0
        // The loop runs until the queue of the slow listener is full. The system decides when that is.
        while lagged < 3, delivered < 100_000 {
            let delivery = beeper.beep("bell")
            #expect(quick.wait(), "the other one is served all the same")
            delivered += delivery.delivered - 1
            lagged += delivery.lagging
        }
        #expect(lagged == 3)
        slow.letGo(times: delivered + 1)
        #expect(slow.wait(times: delivered))
        // The slow listener has caught up.
        #expect(beeper.beep("bell").delivered == 2)
        #expect(slow.wait())
        listener.unregister("bell")
        #expect(slow.count == delivered + 1)
    }

    @Test func `T2: 10,000 beeps to ten listeners that do not listen do not delay the sender`() throws {
        let held = Heard()
        let listeners = try (0..<10).map { _ in try self.beeper() }
        for listener in listeners { try listener.register("bell", handler: held.heldHandler) }
        let beeper = try beeper()
        var last = nobody
        for _ in 0..<10_000 { last = beeper.beep("bell") }
        withExtendedLifetime(listeners) { #expect(last.lagging == 10 && last.delivered == 0) }
        held.letGo(times: 1_000_000)
    }

    // MARK: The folder

    @Test func `T2: the folder for sockets is made for its owner alone`() throws {
        let beeper = try beeper()
        try beeper.register("bell") {}
        #expect(SmallFile.mode(of: sockets) == 0o700)
        beeper.unregister("bell")
    }

    @Test(
        "T2: a folder that others may enter, a link and a file are refused",
        arguments: ["mode", "link", "file", "owner"])
    func refused(_ reason: String) throws {
        switch reason {
        case "mode":
            mkdir(sockets, 0o700)
            chmod(sockets, 0o750)
        case "link":
            mkdir(store.directory + "/real", 0o700)
            symlink(store.directory + "/real", sockets)
        case "file": try SmallFile.write([], to: sockets)
        default:
            // Only root can give a folder away.
            guard geteuid() == 0 else { return }
            mkdir(sockets, 0o700)
            chown(sockets, 65_534, 65_534)
        }
        let beeper = try beeper()
        #expect(throws: BeeperError.notPrivate(path: sockets)) { try beeper.register("bell") {} }
        #expect(beeper.beep("bell") == nobody)
        #expect(SmallFile.names(in: sockets) == [])
    }

    @Test func `T2: a path of any length will do for the folder`() throws {
        let long = store.directory + "/" + String(repeating: "d", count: 200)
        mkdir(long, 0o700)
        let beeper = try Beeper(store: store.path, prefix: "test", directory: long + "/sockets")
        let heard = Heard()
        try beeper.register("bell", handler: heard.handler)
        #expect(beeper.beep("bell").delivered == 1)
        #expect(heard.wait())
        beeper.unregister("bell")
    }
}
