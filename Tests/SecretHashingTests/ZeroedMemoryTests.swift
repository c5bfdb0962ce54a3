import Platform
import ProfileCore
import ProfileTesting
import Testing
import Watchdog

@testable import SecretHashing

/// P12: the intermediate copies that hashing makes of a secret are zeroed.
@Suite(.alone, .unsanitized, .watched) struct ZeroedMemoryTests {
    @Test func `P12: the copy that C libraries get is zeroed`() throws {
        // A secret of more than a KiB is not on the stack, where other calls would overwrite it by chance.
        let marker = MemoryMarker(count: 1_028)
        var secret: Secret? = marker.makeSecret()
        let occurrences = try secret?.withCString { _, _ in Result { try marker.occurrences() } }.get()
        #expect(occurrences == 2, "the secret and its copy")
        secret = nil
        #expect(try marker.occurrences() == 0)
    }

    @Test func `P12: normalisation to NFC leaves no copy of the secret`() throws {
        let marker = MemoryMarker()
        let typed = Array("cafe\u{301}".utf8)
        var secret: Secret? = Secret(capacity: typed.count + marker.count) { output in
            for byte in typed { output.append(byte) }
            marker.append(to: &output)
        }
        var normalised = secret.map(NFC.form)
        #expect(normalised?.count == typed.count + marker.count - 1)
        #expect(try marker.occurrences() == 2)
        secret = nil
        normalised = nil
        #expect(try marker.occurrences() == 0)
    }

    @Test func `P12: the hash that crypt computed of a guess is zeroed`() throws {
        // This is the end of the hash of "aK8oio". The guess is compared with another hash, so this text is only
        // computed.
        let computed = MemoryMarker(
            "HXpQw1ovm0cuY27hZn2x3Dl35qL8dors3iWu2r.7kPE89wWOInAmmNGg32ELZTjl/70lkRaisevgeWIQ0L51k0")
        // The literal itself may be in memory that can be written to.
        let before = try computed.occurrences()
        let stored = "$6$rounds=1000$saltstring$" + String(repeating: "a", count: 85) + "."
        let hash = try PasswordHash(parsing: stored.utf8Span.span)
        #expect(try !SystemCrypt.matches(Secret("aK8oio"), hash))
        #expect(try computed.occurrences() == before)
    }
}
