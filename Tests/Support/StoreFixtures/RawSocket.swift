internal import Platform
internal import ProfileTesting
internal import Testing

/// A datagram socket for beeps, without the class `Beeper`.
package final class RawSocket: Sendable {
    private let descriptor: Int32

    package init(at path: String) throws {
        descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        try #require(descriptor >= 0)
        let descriptor = descriptor
        try #require(Self.withAddress(path) { bind(descriptor, $0, $1) } == 0)
    }

    deinit { close(descriptor) }

    /// Returns the datagrams that have arrived since the last call.
    package func received() -> [String] {
        var texts: [String] = []
        var bytes = [UInt8](repeating: 0, count: 4_096)
        while case let count = recv(descriptor, &bytes, bytes.count, Int32(MSG_DONTWAIT)), count >= 0 {
            texts.append(String(decoding: bytes.prefix(count), as: UTF8.self))
        }
        return texts
    }

    package func send(_ text: String, to path: String) -> Bool {
        let bytes = Array(text.utf8)
        return Self.withAddress(path) { address, length in
            Int32(sendto(descriptor, bytes, bytes.count, 0, address, length))
        } == Int32(bytes.count)
    }

    private static func withAddress(
        _ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) -> Int32 {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { place in
            place.copyBytes(from: Array(path.utf8).prefix(place.count - 1))
        }
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
    }
}
