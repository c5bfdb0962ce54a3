internal import Dispatch
internal import Glibc
internal import Synchronization

/// One registered name: a socket in the runtime directory, and what is called for each beep that comes to it.
final class BeepListener: Sendable {
    private let name: BeepName
    private let directory: RuntimeDirectory
    private let file: String
    private let handler: Mutex<@Sendable () -> Void>
    /// `nonisolated(unsafe)`: it never changes, and libdispatch's own functions on a source, here `cancel` and its test,
    /// may be called on any thread (dispatch_source_create(3)).
    private nonisolated(unsafe) let source: any DispatchSourceRead

    /// Listens from now on.
    ///
    /// - Parameters:
    ///   - name: What is listened to.
    ///   - directory: Where the socket lies.
    ///   - queue: Calls the handler.
    ///   - handler: What is called.
    /// - Throws: `cannotListen`.
    init(
        _ name: BeepName, in directory: RuntimeDirectory, on queue: DispatchQueue,
        handler: @escaping @Sendable () -> Void
    ) throws(BeeperError) {
        let unique = String(UInt64.random(in: .min ... .max), radix: 16)
        guard let socket = BeepSocket() else { throw .cannotListen(code: errno) }
        // Under its name it is seen only when it takes datagrams: whoever beeped before would find it dead.
        let unfinished = ".\(unique)"
        var code = socket.bind(to: directory.socketPath(unfinished))
        file = name.filePrefix + unique
        if code == 0 { code = directory.rename(unfinished, to: file) }
        guard code == 0 else { throw .cannotListen(code: code) }
        self.name = name
        self.directory = directory
        self.handler = Mutex(handler)
        source = DispatchSource.makeReadSource(fileDescriptor: socket.descriptor, queue: queue)
        let descriptor = socket.release()
        source.setCancelHandler { close(descriptor) }
        source.setEventHandler { [weak self] in self?.hear(descriptor) }
        source.activate()
    }

    deinit { end() }

    func replaceHandler(by handler: @escaping @Sendable () -> Void) { self.handler.withLock { $0 = handler } }

    /// Takes no beeps any more. A handler that runs is not waited for.
    func end() {
        guard !source.isCancelled else { return }
        directory.remove(file)
        source.cancel()
    }

    private func hear(_ descriptor: Int32) {
        // A few at a time, so that beeps of other names get their turn.
        for _ in 0..<16 {
            // One byte more, so that a longer datagram is not taken for ours.
            var bytes = [UInt8](repeating: 0, count: name.onTheWire.count + 1)
            let count = recv(descriptor, &bytes, bytes.count, 0)
            guard count >= 0, !source.isCancelled else { return }
            guard bytes.prefix(count).elementsEqual(name.onTheWire) else { continue }
            let handler = handler.withLock { $0 }
            handler()
        }
    }
}
