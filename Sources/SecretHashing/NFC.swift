internal import Platform
package import ProfileCore

/// Unicode's Normalization Form C (UAX #15), of secrets above all.
///
/// Keyboards differ in how they write `é`, as one scalar or as two; a person who types the same characters means the
/// same secret (NIST SP 800-63B, section 5.1.1.2).
package enum NFC {
    /// Normalises a secret; bytes that are not UTF-8 have no normal form and stay as they are.
    ///
    /// A secret that is in NFC already, as ASCII is, is given back without a copy. Otherwise the result is written
    /// straight into the memory of a new secret, and the string in between is zeroed. What cannot be zeroed is the
    /// standard library's working buffer: it holds one base character with its marks at a time.
    package static func form(of secret: Secret) -> Secret {
        guard var text = try? UTF8Span(validating: secret.bytes) else { return secret }
        // The full check would make a string of the normal form, which could not be zeroed.
        if text.isKnownASCII || text.checkForNFC(quickCheck: true) { return secret }

        var string = String(copying: text)
        // UAX #15 bounds the growth of UTF-8 under NFC by 3.
        let normalised = Secret(capacity: secret.count * 3) { output in
            for scalar in string.scalarsOfNFC {
                for unit in UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter where !output.isFull {
                    output.append(unit)
                }
            }
        }
        // The string is native and nobody else's, so this is its own memory (or, up to 15 bytes, a copy of it).
        string.withUTF8 { units in
            if let start = units.baseAddress { explicit_bzero(UnsafeMutableRawPointer(mutating: start), units.count) }
        }
        return normalised == secret ? secret : normalised
    }

    /// Normalises text that is no secret.
    package static func form(of text: String) -> String {
        String(String.UnicodeScalarView(text.scalarsOfNFC))
    }
}
