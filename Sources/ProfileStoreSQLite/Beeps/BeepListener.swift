internal import Platform
internal import Synchronization

/// One registered name: a socket in the runtime directory, and what is called for each beep that comes to it.
final class BeepListener: Sendable {
    private let name: BeepName
    private let directory: RuntimeDirectory
    private let file: String
    private let socket: BeepSocket
    private let handler: Mutex<Handler>

    /// A function in a struct of its own. `withLock { $0 }` of a `Mutex` of functions wraps the function in one more
    /// reabstraction thunk at each call, and keeps the wrapped one: 130,000 beeps later a call overflows the stack.
    private struct Handler {
        let call: @Sendable () -> Void
    }

    var descriptor: Int32 { socket.descriptor }

    /// Has beeps come to its socket from now on.
    ///
    /// - Parameters:
    ///   - name: What is listened to.
    ///   - directory: Where the socket lies.
    ///   - handler: What is called.
    /// - Throws: `cannotListen`.
    init(
        _ name: BeepName, in directory: RuntimeDirectory, handler: @escaping @Sendable () -> Void
    ) throws(BeeperError) {
        let unique = String(UInt64.random(in: .min ... .max), radix: 16)
        guard let socket = BeepSocket() else { throw .cannotListen(code: errno) }
        // Under its name it is seen only when it takes datagrams: whoever beeped before would find it dead.
        let unfinished = ".\(unique)"
        let file = name.filePrefix + unique
        var code = socket.bind(to: directory.socketPath(unfinished))
        if code == 0 { code = directory.rename(unfinished, to: file) }
        guard code == 0 else { throw .cannotListen(code: code) }
        self.name = name
        self.directory = directory
        self.file = file
        self.socket = socket
        self.handler = Mutex(Handler(call: handler))
    }

    /// Takes its socket away, so that nobody beeps to it any more; it is closed when nobody waits at it.
    func end() { directory.remove(file) }

    func replaceHandler(by handler: @escaping @Sendable () -> Void) {
        self.handler.withLock { $0 = Handler(call: handler) }
    }

    /// Takes the next datagram that waits, and gives what is to be called for it: nil when none waits, or it is no beep.
    func next() -> (@Sendable () -> Void)? {
        socket.receives(name.onTheWire) ? handler.withLock { $0 }.call : nil
    }
}
