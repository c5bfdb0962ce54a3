internal import Platform

/// A Unix datagram socket. The socket is closed when the value is destroyed. Its calls never block, and no child
/// process inherits the socket.
struct BeepSocket: ~Copyable {
    let descriptor: Int32

    /// Opens a socket without a name. Nil if the system cannot open a socket; `errno` gives the reason.
    init?() {
        let type = Int32(SOCK_DGRAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        let opened = socket(AF_UNIX, type, 0)
        guard opened >= 0 else { return nil }
        descriptor = opened
    }

    deinit { close(descriptor) }

    /// Gives the socket a name in the file system.
    ///
    /// - Returns: 0, or `errno`.
    func bind(to path: String) -> Int32 {
        Self.withAddress(path) { address, length in Platform.bind(descriptor, address, length) == 0 ? 0 : errno }
    }

    /// Sends one datagram.
    ///
    /// - Returns: 0, or `errno`: `EAGAIN` if the receiver's queue is full, `ECONNREFUSED` if no process has the socket
    ///   open any more.
    func send(_ bytes: [UInt8], to path: String) -> Int32 {
        Self.withAddress(path) { address, length in
            while true {
                let flags = Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL)
                if sendto(descriptor, bytes, bytes.count, flags, address, length) >= 0 { return 0 }
                if errno != EINTR { return errno }
            }
        }
    }

    /// Receives the next datagram.
    ///
    /// - Returns: Whether a datagram was received and its content equals `bytes`.
    func receives(_ bytes: [UInt8]) -> Bool {
        // The buffer has one byte more than the expected content. So a longer datagram does not match.
        withUnsafeTemporaryAllocation(byteCount: bytes.count + 1, alignment: 1) { buffer in
            let count = recv(descriptor, buffer.baseAddress, buffer.count, Int32(MSG_DONTWAIT))
            return count >= 0 && buffer.prefix(count).elementsEqual(bytes)
        }
    }

    private static func withAddress(
        _ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) -> Int32 {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(path.utf8)
        let fits = withUnsafeMutableBytes(of: &address.sun_path) { place in
            guard bytes.count < place.count else { return false }
            place.copyBytes(from: bytes)
            return true
        }
        guard fits else { return ENAMETOOLONG }
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
                body(generic, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
    }
}
