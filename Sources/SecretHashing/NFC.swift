internal import Platform
package import ProfileCore

/// Converts text, mainly secrets, to Unicode's Normalization Form C (UAX #15).
///
/// Some keyboards write `é` as one scalar, others as two. If a person types the same characters on another keyboard,
/// the secret must be the same (NIST SP 800-63B, section 5.1.1.2).
package enum NFC {
    /// Normalizes a secret. Bytes that are not UTF-8 have no normal form and are returned unchanged.
    ///
    /// A secret that is in NFC already, such as ASCII, is returned without a copy. Otherwise the result is written
    /// directly into the memory of a new secret. The intermediate string is zeroed if it has more than 15 bytes. The
    /// standard library uses a buffer that cannot be zeroed. But this buffer never holds more than one base character
    /// with its marks.
    package static func form(of secret: Secret) -> Secret {
        guard var text = try? UTF8Span(validating: secret.bytes) else { return secret }
        // The full check would create a normalized string, and this string could not be zeroed.
        if text.isKnownASCII || text.checkForNFC(quickCheck: true) { return secret }

        var string = String(copying: text)
        // In UTF-8, the NFC form of a text is at most three times as long as the text (UAX #15).
        let normalised = Secret(capacity: secret.count * 3) { output in
            for scalar in string.scalarsOfNFC {
                for unit in UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter where !output.isFull {
                    output.append(unit)
                }
            }
        }
        // `withUTF8` gives access to the string's own memory, because the string is native and not shared. But if the
        // string has up to 15 bytes, `withUTF8` gives access to a copy, so only this copy is zeroed.
        string.withUTF8 { units in
            if let start = units.baseAddress { explicit_bzero(UnsafeMutableRawPointer(mutating: start), units.count) }
        }
        return normalised == secret ? secret : normalised
    }

    /// Normalizes text that is not secret.
    package static func form(of text: String) -> String {
        String(String.UnicodeScalarView(text.scalarsOfNFC))
    }
}
