extension String {
    /// The text for use in a message. A long text is truncated and ends with `…`.
    ///
    /// The limit is 64 Unicode scalars. The limit does not count characters, because one character may consist of any
    /// number of scalars.
    package var shortened: String {
        guard let end = unicodeScalars.index(startIndex, offsetBy: 64, limitedBy: endIndex), end < endIndex else {
            return self
        }
        return String(self[..<end]) + "…"
    }
}

extension [String] {
    /// The texts as a list in a sentence, such as `one, two and three`.
    package func listed(_ conjunction: String) -> String {
        guard let last, count > 1 else { return first ?? "" }
        return dropLast().joined(separator: ", ") + " \(conjunction) " + last
    }
}
