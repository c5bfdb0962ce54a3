import ProfileCore
import ProfileTesting
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

    /// Small pieces of memory that are given back are soon used again, and written over; a long one stays as it was.
    private static let longCount = 4_096

    @Test(.alone, .unsanitized) func `P12: the memory of a secret is zeroed when its last copy goes`() throws {
        let marker = MemoryMarker(count: Self.longCount)
        var secret: Secret? = marker.makeSecret()
        var copy = secret
        #expect(try marker.occurrences() == 1)

        secret = nil
        #expect(try marker.occurrences() == 1, "a copy still holds it")
        #expect(copy?.count == marker.count)

        copy = nil
        #expect(try marker.occurrences() == 0)
    }

    @Test(.alone, .unsanitized) func `P12: what a failed read wrote is zeroed as well`() throws {
        struct Interrupted: Error {}
        let marker = MemoryMarker(count: Self.longCount)
        let secret: Secret?
        do {
            secret = try Secret(capacity: marker.count) { output throws(Interrupted) in
                marker.append(to: &output)
                throw Interrupted()
            }
        } catch {
            secret = nil
        }
        #expect(secret == nil)
        #expect(try marker.occurrences() == 0)
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
