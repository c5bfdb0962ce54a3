internal import Platform
internal import SQLiteAccess
internal import Synchronization

/// Named signals between the processes of one user on one machine that use the same store: one beeps, all that have
/// registered the name hear it at once (T1, T2).
///
/// A beep carries nothing but its name. It is one datagram to each listener, on a Unix socket in a private folder:
/// `$XDG_RUNTIME_DIR/profiles`, or `profiles-UID` in the temporary directory. Nobody waits for anybody: a listener that
/// has as many beeps waiting as its queue holds hears no more of them until it has caught up. So a beep means "look",
/// and what there is to see is in the store.
///
/// ```swift
/// let beeper = try Beeper(store: repository.path)
/// try beeper.register("welcome") { print("somebody beeped") }
/// beeper.beep("welcome")
/// beeper.unregister("welcome")
/// ```
public final class Beeper: Sendable {
    /// What became of one beep.
    public struct Delivery: Hashable, Sendable {
        /// Listeners that hear it.
        public internal(set) var delivered = 0
        /// Listeners that lag: their queue is full of beeps that they have yet to hear.
        public internal(set) var lagging = 0
        /// Listeners whose process has ended without a word, and whose socket was removed.
        public internal(set) var removed = 0

        /// A beep that nobody has heard.
        package init() {}
    }

    /// The beep by which processes tell each other that the log of changes has grown.
    static let changes = "changes"

    private let store: DatabasePath
    private let prefix: String
    private let directory = Mutex<RuntimeDirectory?>(nil)
    /// Nil for the usual one.
    private let namedDirectory: String?
    /// Nil until somebody listens.
    private let loop = Mutex<BeepLoop?>(nil)

    /// Prepares to beep and to listen, without doing either yet.
    ///
    /// - Parameters:
    ///   - path: The store's file, whichever way it is written: two paths to one file are one store. The folder must
    ///     exist, the file need not.
    ///   - prefix: Keeps the names of one program from those of another: 1 to 64 ASCII letters, digits, `-`, `_`, `.`.
    /// - Throws: `invalidPrefix`, `cannotOpen`.
    public convenience init(store path: String, prefix: String = "profiles") throws(BeeperError) {
        try self.init(store: path, prefix: prefix, directory: nil)
    }

    /// The same with a folder of the caller's; nil for the usual one.
    package convenience init(store path: String, prefix: String, directory: String?) throws(BeeperError) {
        guard BeepName.isPrefix(prefix) else { throw .invalidPrefix(prefix) }
        let resolved: DatabasePath
        do throws(SQLiteError) {
            resolved = try DatabasePath(path)
        } catch {
            throw .cannotOpen(path: path, code: error.systemError)
        }
        self.init(resolved, prefix: prefix, directory: directory)
    }

    /// The same for a path that is resolved already, and a prefix that is one. Nothing is looked up before it is needed:
    /// every store that is opened has a beeper, and few of them beep.
    init(_ path: DatabasePath, prefix: String = "profiles", directory: String?) {
        store = path
        self.prefix = prefix
        namedDirectory = directory
    }

    deinit { loop.withLock { $0?.end() } }

    /// Lets every listener of a name hear it, in this process and in others; never blocks. A name that nobody listens to
    /// is ignored.
    ///
    /// - Returns: To how many it went.
    @discardableResult
    public func beep(_ name: String) -> Delivery {
        var delivery = Delivery()
        // Where there is no folder nobody listens; where it is not private nobody can be told.
        guard let directory = try? openDirectory(creating: false) else { return delivery }
        let name = BeepName(name, prefix: prefix, store: store)
        let files = directory.names(startingWith: name.filePrefix)
        // A socket a beep: what waits in the queues of listeners counts against the socket that sent it, so that a kept
        // one would be stopped by a few listeners that never read.
        guard !files.isEmpty, let socket = BeepSocket() else { return delivery }
        for file in files {
            switch socket.send(name.onTheWire, to: directory.socketPath(file)) {
            case 0: delivery.delivered += 1
            case ECONNREFUSED:
                directory.remove(file)
                delivery.removed += 1
            // Gone since the folder was read.
            case ENOENT: break
            default: delivery.lagging += 1
            }
        }
        return delivery
    }

    /// Calls `handler` for every beep of a name from now on; in the place of the name's handler so far, if there is one.
    ///
    /// Handlers of one beeper are called one after the other, on a thread of its own; one that takes long keeps the
    /// others waiting. It is called once for each beep that was delivered. When this returns, a handler that was replaced
    /// does not run any more.
    /// - Throws: `notPrivate` when there is no folder for the user alone, `cannotOpen`, `cannotListen`.
    public func register(_ name: String, handler: @escaping @Sendable () -> Void) throws(BeeperError) {
        let directory = try openDirectory(creating: true)
        guard let directory else { throw .cannotOpen(path: directoryPath, code: ENOENT) }
        let loop = try loop.withLock { loop throws(BeeperError) in
            let started = if let loop { loop } else { try BeepLoop() }
            loop = started
            return started
        }
        try loop.add(BeepName(name, prefix: prefix, store: store), in: directory, handler: handler)
    }

    /// Listens to a name no more. When it returns the handler does not run, and never will; called from a handler, it
    /// returns while that one still runs. A name that is not registered is ignored.
    public func unregister(_ name: String) {
        loop.withLock { $0 }?.remove(BeepName(name, prefix: prefix, store: store))
    }

    private var directoryPath: String { namedDirectory ?? RuntimeDirectory.defaultPath }

    private func openDirectory(creating: Bool) throws(BeeperError) -> RuntimeDirectory? {
        try directory.withLock { directory throws(BeeperError) in
            if directory == nil { directory = try RuntimeDirectory.open(directoryPath, creating: creating) }
            return directory
        }
    }
}

/// Why nobody can be listened to.
public enum BeeperError: Error, Hashable, Sendable {
    /// A prefix has 1 to 64 ASCII letters, digits, `-`, `_` and `.`.
    case invalidPrefix(String)
    /// The folder for sockets is not a folder of the user's that only the user can enter (mode 0700, no symbolic link).
    case notPrivate(path: String)
    /// The store's folder, or that of the sockets, cannot be opened; `code` is `errno`.
    case cannotOpen(path: String, code: Int32)
    /// The system gives no socket; `code` is `errno`.
    case cannotListen(code: Int32)
}
