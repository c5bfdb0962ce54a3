import Glibc
import ProfileCore
import Testing
import Watchdog

@Suite(.watched) struct SecretTests {
    @Test func `P12: a secret is never described, dumped or interpolated`() {
        let secret = Secret("parislondon")
        struct Draft { let username = "pritesh"; let password: Secret }
        let draft = Draft(password: secret)

        var dumped = ""
        dump(draft, to: &dumped)
        for text in ["\(secret)", String(reflecting: secret), "\(draft)", String(reflecting: draft), dumped] {
            #expect(!text.contains("parislondon"))
            #expect(!text.contains("112"), "the first byte as a number: \(text)")
        }
        #expect("\(secret)" == "•••")
        #expect(Mirror(reflecting: secret).children.isEmpty)
    }

    @Test func `P12: the memory of a secret is zeroed when its last copy goes`() throws {
        let marker = Marker()
        var secret: Secret? = marker.makeSecret()
        var copy = secret
        #expect(try marker.isInMemory())

        secret = nil
        #expect(try marker.isInMemory(), "a copy still holds it")
        #expect(copy?.count == Marker.length)

        copy = nil
        #expect(try !marker.isInMemory())
    }

    @Test func `P12: what a failed read wrote is zeroed as well`() throws {
        struct Interrupted: Error {}
        let marker = Marker()
        let secret: Secret?
        do {
            secret = try Secret(capacity: 64) { output throws(Interrupted) in
                marker.append(to: &output)
                throw Interrupted()
            }
        } catch {
            secret = nil
        }
        #expect(secret == nil)
        #expect(try !marker.isInMemory())
    }

    @Test func `secrets are equal when all their bytes are, NUL and invalid UTF-8 included`() {
        let bytes: [UInt8] = [0x61, 0x00, 0xFF, 0x62]
        let secret = makeSecret(bytes)
        #expect(secret == makeSecret(bytes))
        #expect(secret != makeSecret(bytes.dropLast()))
        for index in bytes.indices {
            var other = bytes
            other[index] ^= 1
            #expect(secret != makeSecret(other))
        }
        #expect(Secret("") == Secret(""))
        #expect(Secret("").isEmpty)
    }

    @Test func `the bytes come back as they went in`() {
        let secret = Secret("pa\0rïs")
        let expected = Array("pa\0rïs".utf8)
        #expect(secret.count == expected.count)
        for index in expected.indices {
            let byte = secret.bytes[index]
            #expect(byte == expected[index])
        }
    }

    private func makeSecret(_ bytes: [UInt8]) -> Secret {
        Secret(bytes.span)
    }
}

/// Random bytes that are nowhere in memory in the clear, but for the secret that is made of them.
private struct Marker {
    static let length = 32
    private static let mask: UInt8 = 0x5A
    private let masked: [UInt8] = (0..<length).map { _ in UInt8.random(in: 0...255) }

    func append(to output: inout OutputSpan<UInt8>) {
        for byte in masked { output.append(byte ^ Self.mask) }
    }

    func makeSecret() -> Secret {
        Secret(capacity: Self.length) { append(to: &$0) }
    }

    /// Reads all writable memory of this process through the kernel and looks for the marker.
    func isInMemory() throws -> Bool {
        let maps = try readAll("/proc/self/maps")
        let memory = open("/proc/self/mem", O_RDONLY)
        try #require(memory >= 0)
        defer { close(memory) }

        let overlap = Self.length - 1
        let chunk = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 16)
        defer { chunk.deallocate() }
        for line in maps.split(separator: "\n") {
            let parts = line.split(separator: " ")
            guard parts.count > 1, parts[1].hasPrefix("rw") else { continue }
            let ends = parts[0].split(separator: "-").compactMap { UInt64($0, radix: 16) }
            guard ends.count == 2 else { continue }
            var start = ends[0]
            while start < ends[1] {
                // The buffer is part of what is read: it must not hold what an earlier read brought.
                chunk.initializeMemory(as: UInt8.self, repeating: 0)
                let wanted = Int(min(UInt64(chunk.count), ends[1] - start))
                let count = pread(memory, chunk.baseAddress, wanted, off_t(start))
                if count < Self.length { break }
                if found(in: chunk, count: count) {
                    chunk.initializeMemory(as: UInt8.self, repeating: 0)
                    return true
                }
                if count < wanted || UInt64(count) == ends[1] - start { break }
                start += UInt64(count - overlap)
            }
        }
        return false
    }

    private func found(in chunk: UnsafeMutableRawBufferPointer, count: Int) -> Bool {
        guard let base = chunk.baseAddress else { return false }
        let first = Int32(masked[0] ^ Self.mask)
        var position = 0
        while position <= count - Self.length,
            let hit = memchr(base + position, first, count - Self.length - position + 1)
        {
            position = hit - UnsafeMutableRawPointer(base)
            if (0..<Self.length).allSatisfy({ chunk[position + $0] == masked[$0] ^ Self.mask }) { return true }
            position += 1
        }
        return false
    }

    private func readAll(_ path: String) throws -> String {
        let file = open(path, O_RDONLY)
        try #require(file >= 0)
        defer { close(file) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while case let count = read(file, &chunk, chunk.count), count > 0 { bytes += chunk[..<count] }
        return String(decoding: bytes, as: UTF8.self)
    }
}
