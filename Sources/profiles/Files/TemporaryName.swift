internal import Platform
internal import Synchronization

/// A name for a file that is not whole yet. It goes with this value, or with the process when a signal ends that.
struct TemporaryName: ~Copyable {
    let path: String
    private let slot: Int?

    /// Chooses a name that nobody has, in the folder of a file; it is the caller's to make the file.
    init(beside path: String) {
        let letters = "abcdefghijklmnopqrstuvwxyz0123456789"
        self.path = path + "." + String((0..<12).map { _ in letters.randomElement() ?? "x" })
        slot = temporaryNames.add(self.path)
    }

    deinit {
        unlink(path)
        if let slot { temporaryNames.remove(slot) }
    }

    /// Removes the files of all that there are, as the process is about to end.
    static func removeAll() { temporaryNames.unlinkAll() }
}

private let temporaryNames = TemporaryNames()

/// The temporary names of the process, as far as a signal handler has to know them.
///
/// A handler may run on any thread between any two instructions, so it may touch nothing but what signal-safety(7) lists.
/// It reads atomics, which are lock-free, in memory that is allocated before a handler is installed and never freed; the
/// names that they point to are never freed either, since a handler may be reading one. Those few bytes are all that is
/// lost. That memory is written through the atomics alone, which is why any thread may have this value.
private struct TemporaryNames: ~Copyable, @unchecked Sendable {
    private let slots: UnsafeMutablePointer<Atomic<UnsafeMutablePointer<CChar>?>>
    /// A command writes one private file at a time, or two.
    private static let count = 4

    init() {
        slots = .allocate(capacity: Self.count)
        for slot in 0..<Self.count { (slots + slot).initialize(to: Atomic(nil)) }
    }

    /// - Returns: Where it was put; nil where there is no room, so that signals leave it.
    func add(_ path: String) -> Int? {
        for signal in [SIGHUP, SIGINT, SIGQUIT, SIGTERM] { Self.catchUnlessCaught(signal) }
        let name = strdup(path)
        return (0..<Self.count).first {
            slots[$0].compareExchange(expected: nil, desired: name, ordering: .releasing).exchanged
        }
    }

    func remove(_ slot: Int) { slots[slot].store(nil, ordering: .releasing) }

    /// Safe in a signal handler.
    func unlinkAll() {
        var slot = 0
        while slot < Self.count {
            if let name = slots[slot].load(ordering: .acquiring) { unlink(name) }
            slot &+= 1
        }
    }

    /// What somebody else catches or ignores is left to them: who catches a signal and then ends the process has to call
    /// ``TemporaryName/removeAll()``.
    private static func catchUnlessCaught(_ signal: Int32) {
        var action = sigaction()
        sigaction(signal, nil, &action)
        let handler = unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self)
        guard handler == unsafeBitCast(SIG_DFL, to: Int.self) else { return }
        action = sigaction()
        action.__sigaction_handler.sa_handler = removeAndEnd
        sigfillset(&action.sa_mask)
        sigaction(signal, &action, nil)
    }
}

/// The signal that is raised waits until the handler has returned, and then does what it would have done.
private let removeAndEnd: @convention(c) (Int32) -> Void = { number in
    temporaryNames.unlinkAll()
    signal(number, SIG_DFL)
    raise(number)
}
