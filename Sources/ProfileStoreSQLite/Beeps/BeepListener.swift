internal import Platform
internal import Threads

/// One registered name: a socket in the runtime directory, and the handler that is called for each beep.
final class BeepListener: Sendable {
    private let name: BeepName
    private let directory: RuntimeDirectory
    private let file: String
    private let socket: BeepSocket
    private let handler: Locked<Handler>

    /// Wraps the function in a struct. If a `Mutex` contained the function itself, each `withLock { $0 }` would wrap
    /// the function in one more reabstraction thunk and store the result. After 130,000 beeps, a call of the function
    /// would overflow the stack.
    private struct Handler {
        let call: @Sendable () -> Void
    }

    var descriptor: Int32 { socket.descriptor }

    /// Creates the socket and starts to receive beeps.
    ///
    /// - Parameters:
    ///   - name: The name to listen to.
    ///   - directory: The folder for the socket.
    ///   - handler: The function to call for each beep.
    /// - Throws: `cannotListen`.
    init(
        _ name: BeepName, in directory: RuntimeDirectory, handler: @escaping @Sendable () -> Void
    ) throws(BeeperError) {
        let unique = String(UInt64.random(in: .min ... .max), radix: 16)
        guard let socket = BeepSocket() else { throw .cannotListen(code: errno) }
        // The socket gets the file name that senders look for only when it can receive datagrams. The reason: a sender
        // removes a socket that cannot receive datagrams.
        let unfinished = ".\(unique)"
        let file = name.filePrefix + unique
        var code = socket.bind(to: directory.socketPath(unfinished))
        if code == 0 { code = directory.rename(unfinished, to: file) }
        guard code == 0 else { throw .cannotListen(code: code) }
        self.name = name
        self.directory = directory
        self.file = file
        self.socket = socket
        self.handler = Locked(Handler(call: handler))
    }

    /// Removes the socket's file. After that, no sender finds the socket. The socket is closed when the last reference
    /// to this listener is released.
    func end() { directory.remove(file) }

    func replaceHandler(by handler: @escaping @Sendable () -> Void) {
        self.handler.withLock { $0 = Handler(call: handler) }
    }

    /// Receives the next waiting datagram and returns the handler to call. Returns nil if no datagram waits, or if the
    /// datagram is not a beep of this name.
    func next() -> (@Sendable () -> Void)? {
        socket.receives(name.onTheWire) ? handler.withLock { $0 }.call : nil
    }
}
