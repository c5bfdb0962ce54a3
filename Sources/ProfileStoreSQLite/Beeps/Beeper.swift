internal import Platform
internal import SQLiteAccess
internal import Threads

/// Sends and receives named signals between processes that use the same store. The processes belong to one user and run
/// on one machine. A beep is immediately sent to all listeners that have registered its name (T1, T2).
///
/// A beep carries only its name. It is sent as one datagram to each listener, on a Unix socket in a private folder:
/// `$XDG_RUNTIME_DIR/profiles`, or `profiles-UID` in the temporary directory. Sending never blocks. If the queue of a
/// listener is full, the listener receives no further beeps until it has read some beeps. So beeps can be lost, and a
/// listener must not count them: a beep only tells the listener to read the store.
///
/// ```swift
/// let beeper = try Beeper(store: "profiles.sqlite")
/// try beeper.register("welcome") { print("received a beep") }
/// beeper.beep("welcome")
/// beeper.unregister("welcome")
/// ```
public final class Beeper: Sendable {
    /// The result of sending one beep.
    public struct Delivery: Hashable, Sendable {
        /// The number of listeners that receive the beep.
        public internal(set) var delivered = 0
        /// The number of listeners that did not get the beep because their queue of unread beeps is full.
        public internal(set) var lagging = 0
        /// The number of listeners that were still registered although their process had ended. Their sockets were
        /// removed.
        public internal(set) var removed = 0

        /// Creates the result of a beep without listeners.
        package init() {}
    }

    /// The name of the beep that announces new changes in the store.
    static let changes = "changes"

    private let store: DatabasePath
    private let prefix: String
    private let directory = Locked<RuntimeDirectory?>(nil)
    /// The folder for sockets; nil for `RuntimeDirectory.defaultPath`.
    private let namedDirectory: String?
    /// Nil until the first call of `register`.
    private let loop = Locked<BeepLoop?>(nil)

    /// Creates a beeper for a store, without opening a socket yet.
    ///
    /// - Parameters:
    ///   - path: The path of the store's file. If different paths lead to the same file, they mean the same store. The
    ///     file's folder must exist; the file may be missing.
    ///   - prefix: A text that separates the names of this program from the names of other programs. It has 1 to 64
    ///     ASCII letters, digits, `-`, `_`, `.`.
    /// - Throws: `invalidPrefix`, `cannotOpen`.
    public convenience init(store path: String, prefix: String = "profiles") throws(BeeperError) {
        try self.init(store: path, prefix: prefix, directory: nil)
    }

    /// Creates a beeper with the caller's folder for sockets; nil for `RuntimeDirectory.defaultPath`.
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

    /// Creates a beeper for a resolved path and a valid prefix. The folder for sockets is opened only when it is first
    /// needed. The reason: every open store has a beeper, but few beepers are used.
    init(_ path: DatabasePath, prefix: String = "profiles", directory: String?) {
        store = path
        self.prefix = prefix
        namedDirectory = directory
    }

    deinit { loop.withLock { $0?.end() } }

    /// Sends a beep to every listener of a name, in this process and in others. Never blocks. Without a listener,
    /// nothing happens.
    ///
    /// - Returns: Three numbers: the listeners that got the beep, the listeners with a full queue, and the listeners
    ///   whose process had ended.
    @discardableResult
    public func beep(_ name: String) -> Delivery {
        var delivery = Delivery()
        // If the folder is missing, no listener exists. A folder that is not private is not used.
        guard let directory = try? openDirectory(creating: false) else { return delivery }
        let name = BeepName(name, prefix: prefix, store: store)
        let files = directory.names(startingWith: name.filePrefix)
        // Each beep is sent from a new socket. The system counts unread datagrams against the socket that sent them. If
        // one socket sent all beeps, a few listeners that never read would block this socket.
        guard !files.isEmpty, let socket = BeepSocket() else { return delivery }
        for file in files {
            switch socket.send(name.onTheWire, to: directory.socketPath(file)) {
            case 0: delivery.delivered += 1
            case ECONNREFUSED:
                directory.remove(file)
                delivery.removed += 1
            // The listener has ended since the folder was read.
            case ENOENT: break
            default: delivery.lagging += 1
            }
        }
        return delivery
    }

    /// Calls `handler` for each later beep of a name. `handler` replaces the name's current handler, if there is one.
    ///
    /// The beeper has one thread, which calls its handlers one after the other. A slow handler delays the others. A
    /// handler is called once for each delivered beep. When this method returns, the replaced handler no longer runs.
    /// Exception: if a handler calls this method, the method does not wait for that handler.
    /// - Throws: `notPrivate` if the folder for sockets is not private to the user, `cannotOpen`, `cannotListen`.
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

    /// Stops listening to a name. When this method returns, the name's handler does not run and is never called again.
    /// If a handler calls this method, the method does not wait for that handler. A name that is not registered is
    /// ignored.
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

/// The reason why a beeper cannot be created or cannot listen.
public enum BeeperError: Error, Hashable, Sendable {
    /// The prefix is not 1 to 64 ASCII letters, digits, `-`, `_` and `.`.
    case invalidPrefix(String)
    /// The folder for sockets is not private to the user. There are three cases: the path is a symbolic link or not a
    /// folder, another user owns the folder, or its mode gives other users access.
    case notPrivate(path: String)
    /// The store's folder or the folder for sockets cannot be opened; `code` is `errno`.
    case cannotOpen(path: String, code: Int32)
    /// The system cannot provide a socket or a thread; `code` is `errno`.
    case cannotListen(code: Int32)
}
