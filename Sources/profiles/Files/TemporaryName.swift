internal import Platform
internal import Synchronization

/// A name for a file that is not complete. The file is removed with this value, or when a signal ends the process.
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

    /// Removes the files of all temporary names. It is called before the process ends.
    static func removeAll() { temporaryNames.unlinkAll() }
}

private let temporaryNames = TemporaryNames()

/// The temporary names of the process, for its signal handlers.
///
/// A handler may run on any thread between any two instructions, so it may use only the functions that signal-safety(7)
/// lists. It reads lock-free atomics in memory that is allocated before a handler is installed and is never freed. The
/// names that they point to are never freed either, because a handler may be reading one; the leak is a few bytes. That
/// memory is only written through the atomics, so any thread may have this value.
private struct TemporaryNames: ~Copyable, @unchecked Sendable {
    private let slots: UnsafeMutablePointer<Atomic<UnsafeMutablePointer<CChar>?>>
    /// A command writes one or two private files at a time.
    private static let count = 4

    init() {
        slots = .allocate(capacity: Self.count)
        for slot in 0..<Self.count { (slots + slot).initialize(to: Atomic(nil)) }
    }

    /// - Returns: The slot of the name. Nil if all slots are in use; then a signal does not remove the file.
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

    /// Leaves a signal alone if other code catches or ignores it. Code that catches a signal and then ends the process
    /// must call ``TemporaryName/removeAll()``.
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

/// Removes the files and raises the signal again with its default action. The signal is blocked until this handler
/// returns, and takes effect then.
private let removeAndEnd: @convention(c) (Int32) -> Void = { number in
    temporaryNames.unlinkAll()
    signal(number, SIG_DFL)
    raise(number)
}
