extension String {
    /// The text as a message quotes it. A long text is cut and ends with `…`.
    ///
    /// It is cut between scalars, because one character may be of any length.
    package var shortened: String {
        guard let end = unicodeScalars.index(startIndex, offsetBy: 64, limitedBy: endIndex), end < endIndex else {
            return self
        }
        return String(self[..<end]) + "…"
    }
}

extension [String] {
    /// `one, two and three`.
    package func listed(_ conjunction: String) -> String {
        guard let last, count > 1 else { return first ?? "" }
        return dropLast().joined(separator: ", ") + " \(conjunction) " + last
    }
}
