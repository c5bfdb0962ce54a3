internal import Platform
package import ProfileCore

/// Unicode's Normalization Form C (UAX #15), mainly of secrets.
///
/// Some keyboards write `é` as one scalar, others as two. A person who types the same characters means the same secret
/// (NIST SP 800-63B, section 5.1.1.2).
package enum NFC {
    /// Normalizes a secret. Bytes that are not UTF-8 have no normal form and are returned unchanged.
    ///
    /// A secret that is in NFC already, such as ASCII, is returned without a copy. Otherwise the result is written
    /// directly into the memory of a new secret, and the intermediate string is zeroed. The standard library's working
    /// buffer cannot be zeroed. It holds one base character with its marks at a time.
    package static func form(of secret: Secret) -> Secret {
        guard var text = try? UTF8Span(validating: secret.bytes) else { return secret }
        // The full check would make a string of the normal form, which could not be zeroed.
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
        // The string is native and not shared, so `withUTF8` gives access to its own memory. For a string of up to 15
        // bytes, it gives access to a copy.
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
