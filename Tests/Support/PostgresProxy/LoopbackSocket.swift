internal import Platform
package import ProfileTesting

/// A stream socket on loopback: a connection or a listener. No call blocks, except `waits(atMost:)`. The socket is
/// closed when the last reference is released.
package final class LoopbackSocket: Sendable {
    let descriptor: Int32

    private init(_ descriptor: Int32) { self.descriptor = descriptor }

    deinit { close(descriptor) }

    /// Listens at a free port.
    package static func listening() throws(SystemError) -> LoopbackSocket {
        let socket = try stream()
        guard withAddress(0, { bind(socket.descriptor, $0, $1) }) == 0 else { throw SystemError("bind") }
        guard listen(socket.descriptor, 128) == 0 else { throw SystemError("listen") }
        return socket
    }

    /// Begins to connect, and does not wait for the connection. Until the socket is connected, `write(_:)` takes no
    /// bytes.
    package static func connecting(to port: UInt16) throws(SystemError) -> LoopbackSocket {
        let socket = try stream()
        let code = withAddress(port) { connect(socket.descriptor, $0, $1) }
        guard code == 0 || errno == EINPROGRESS else { throw SystemError("connect") }
        return socket
    }

    /// Two ends of one stream.
    static func pair() throws(SystemError) -> (sender: LoopbackSocket, receiver: LoopbackSocket) {
        var ends: [Int32] = [0, 0]
        guard socketpair(AF_UNIX, kind, 0, &ends) == 0 else { throw SystemError("socketpair") }
        return (LoopbackSocket(ends[0]), LoopbackSocket(ends[1]))
    }

    package func port() throws(SystemError) -> UInt16 {
        var address = sockaddr_in()
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let code = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) }
        }
        guard code == 0 else { throw SystemError("getsockname") }
        return UInt16(bigEndian: address.sin_port)
    }

    /// Accepts a connection. Nil if no connection is waiting.
    package func accept() -> LoopbackSocket? {
        let accepted = Platform.accept(descriptor, nil, nil)
        guard accepted >= 0 else { return nil }
        // Swift does not see accept4(2).
        _ = fcntl(accepted, F_SETFD, FD_CLOEXEC)
        _ = fcntl(accepted, F_SETFL, O_NONBLOCK)
        return LoopbackSocket(accepted)
    }

    /// Reads the available bytes, at most 64 KiB. Empty at the end of the stream and after a connection error. Nil if
    /// no bytes are available yet.
    package func read() -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: 1 << 16)
        let count = recv(descriptor, &bytes, bytes.count, 0)
        if count < 0 { return [EAGAIN, EINTR, ENOTCONN].contains(errno) ? nil : [] }
        return Array(bytes[..<count])
    }

    /// Writes as much as there is room for.
    ///
    /// - Returns: The number of bytes that were taken. If the connection is broken, all bytes count as taken, because
    ///   `read()` reports the end of the connection.
    @discardableResult
    package func write(_ bytes: [UInt8]) -> Int {
        if bytes.isEmpty { return 0 }
        let count = send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL))
        if count < 0 { return [EAGAIN, EINTR, ENOTCONN].contains(errno) ? 0 : bytes.count }
        return count
    }

    /// Ends the stream to the other side. The other side can still send.
    package func endWriting() { shutdown(descriptor, Int32(SHUT_WR)) }

    /// Waits until there are bytes to read, or a connection to accept.
    ///
    /// - Returns: False if the time ran out first.
    package func waits(atMost time: Duration) -> Bool {
        var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&entry, 1, Int32(time / .milliseconds(1))) > 0
    }

    // MARK: Making

    private static let kind = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)

    private static func stream() throws(SystemError) -> LoopbackSocket {
        let descriptor = socket(AF_INET, kind, 0)
        guard descriptor >= 0 else { throw SystemError("socket") }
        var isOn: Int32 = 1
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &isOn, socklen_t(MemoryLayout<Int32>.size))
        return LoopbackSocket(descriptor)
    }

    private static func withAddress(
        _ port: UInt16, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) -> Int32 {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }
}
