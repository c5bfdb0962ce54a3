import SecretHashing
import Testing
import Watchdog

@Suite(.watched) struct FingerprintTests {
    // FIPS 180-4, example values of NIST.
    @Test(arguments: [
        ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
        ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
    ])
    func `a fingerprint is SHA-256 in hexadecimal`(text: String, digest: String) {
        let computed = SHA256.hexadecimal(text.utf8Span.span)
        #expect(computed == digest)
    }
}
