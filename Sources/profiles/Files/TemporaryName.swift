internal import Platform
internal import Synchronization

/// A temporary name for a file that is not complete yet. The file is removed when this value is destroyed, or when a
/// signal ends the process.
struct TemporaryName: ~Copyable {
    let path: String
    private let slot: Int?

    /// Chooses a random name in the folder of a file. The caller creates the file.
    init(beside path: String) {
        let letters = "abcdefghijklmnopqrstuvwxyz0123456789"
        self.path = path + "." + String((0..<12).map { _ in letters.randomElement() ?? "x" })
        slot = temporaryNames.add(self.path)
    }

    deinit {
        unlink(path)
        if let slot { temporaryNames.remove(slot) }
    }

    /// Removes the files of all temporary names. The code that ends the process after a signal calls this method first.
    static func removeAll() { temporaryNames.unlinkAll() }
}

private let temporaryNames = TemporaryNames()

/// The temporary names of the process, for its signal handlers.
///
/// A handler may run on any thread between any two instructions, so it may use only the functions that signal-safety(7)
/// lists. The handler reads lock-free atomics. Their memory is allocated before a handler is installed, and is never
/// freed. The atomics point to names. The names are never freed either, because a signal handler may read a name at any
/// time. This leaks a few bytes. The memory is only accessed through the atomics, so threads can share this value.
private struct TemporaryNames: ~Copyable, @unchecked Sendable {
    private let slots: UnsafeMutablePointer<Atomic<UnsafeMutablePointer<CChar>?>>
    /// A command writes one or two private files at a time.
    private static let count = 4

    init() {
        slots = .allocate(capacity: Self.count)
        for slot in 0..<Self.count { (slots + slot).initialize(to: Atomic(nil)) }
    }

    /// - Returns: The slot of the name. Nil if all slots are in use. In this case, a signal does not remove the file.
    func add(_ path: String) -> Int? {
        for signal in [SIGHUP, SIGINT, SIGQUIT, SIGTERM] { Self.catchUnlessCaught(signal) }
        let name = strdup(path)
        return (0..<Self.count).first {
            slots[$0].compareExchange(expected: nil, desired: name, ordering: .releasing).exchanged
        }
    }

    func remove(_ slot: Int) { slots[slot].store(nil, ordering: .releasing) }

    /// Removes the files of all names. Safe in a signal handler.
    func unlinkAll() {
        var slot = 0
        while slot < Self.count {
            if let name = slots[slot].load(ordering: .acquiring) { unlink(name) }
            slot &+= 1
        }
    }

    /// Catches a signal, unless other code catches or ignores it already. Other code that catches a signal and then
    /// ends the process must call ``TemporaryName/removeAll()``.
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

/// Removes the files and raises the signal again with its default action. The signal is blocked while this handler
/// runs. It takes effect when the handler returns.
private let removeAndEnd: @convention(c) (Int32) -> Void = { number in
    temporaryNames.unlinkAll()
    signal(number, SIG_DFL)
    raise(number)
}
