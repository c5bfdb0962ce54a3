internal import Platform

/// The client side of a connection to a Unix socket (unix(7)).
package struct UnixStream: ~Copyable {
    private let descriptor: Int32

    /// Connects to a socket. Each read or write fails after the timeout.
    package init(to path: String, timeout: Duration = .seconds(90)) throws(SystemError) {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(path.utf8)
        guard bytes.count < MemoryLayout.size(ofValue: address.sun_path) else {
            throw SystemError("connect \(path)", code: ENAMETOOLONG)
        }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        let socket = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard socket >= 0 else { throw SystemError("socket") }
        var limit = timeval(tv_sec: Int(timeout.components.seconds), tv_usec: 0)
        let size = socklen_t(MemoryLayout<timeval>.size)
        setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &limit, size)
        setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &limit, size)
        let code = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(socket, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard code == 0 else {
            let error = SystemError("connect \(path)")
            close(socket)
            throw error
        }
        descriptor = socket
    }

    deinit { close(descriptor) }

    package func write(_ bytes: [UInt8]) throws(SystemError) {
        var rest = bytes[...]
        while !rest.isEmpty {
            // If the server has ended, MSG_NOSIGNAL makes `send` return an error. Without this flag, the signal SIGPIPE
            // would end the test process.
            let count = rest.withUnsafeBytes {
                send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw SystemError("send") }
            rest = rest.dropFirst(count)
        }
    }

    /// Closes the writing side of the connection.
    package func endWriting() { shutdown(descriptor, Int32(SHUT_WR)) }

    /// - Returns: The available bytes, at most `count` bytes. The array is empty at the end of the stream.
    package func read(atMost count: Int = 65_536) throws(SystemError) -> [UInt8] {
        var buffer = [UInt8](repeating: 0, count: max(1, count))
        while true {
            let count = Platform.read(descriptor, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw SystemError("read") }
            return Array(buffer[..<count])
        }
    }
}
