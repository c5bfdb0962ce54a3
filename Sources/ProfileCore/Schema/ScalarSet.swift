/// The characters that a field takes, compiled once: a table for ASCII, and beyond it a question of Unicode or a search
/// in a sorted list, so that no value is the slower for a long list.
struct ScalarSet: Sendable {
    /// Its members in ASCII.
    private(set) var ascii = ASCIISet { _ in false }
    private var beyondASCII: BeyondASCII

    private enum BeyondASCII: Sendable {
        case allButControls
        /// Letters with their marks, decimal digits, and what lists name, in the order of its numbers.
        case classes(letters: Bool, digits: Bool, listed: [Unicode.Scalar])
    }

    /// All but control characters other than tab, LF and CR.
    static let text = ScalarSet(ascii: .text, beyondASCII: .allButControls)

    private init(ascii: ASCIISet, beyondASCII: BeyondASCII) {
        self.ascii = ascii
        self.beyondASCII = beyondASCII
    }

    init(_ classes: [CharacterClass]) {
        var listed: Set<Unicode.Scalar> = []
        for one in classes {
            ascii.formUnion(ASCIISet(one))
            if case .list(let characters) = one {
                listed.formUnion(characters.unicodeScalars.lazy.filter { !$0.isASCII })
            }
        }
        beyondASCII = .classes(
            letters: classes.contains(.letters), digits: classes.contains(.digits), listed: listed.sorted())
    }

    /// Whether it has no member beyond ASCII.
    var isASCII: Bool {
        if case .classes(letters: false, digits: false, let listed) = beyondASCII { return listed.isEmpty }
        return false
    }

    func contains(_ scalar: Unicode.Scalar) -> Bool {
        if scalar.isASCII { return ascii.contains(UInt8(truncatingIfNeeded: scalar.value)) }
        switch beyondASCII {
        case .allButControls: return !scalar.isForbiddenControl
        case .classes(let letters, let digits, let listed):
            return letters && scalar.isLetterOrMark || digits && scalar.properties.generalCategory == .decimalNumber
                || listed.containsSorted(scalar)
        }
    }
}

extension Unicode.Scalar {
    /// General categories L and M.
    fileprivate var isLetterOrMark: Bool {
        switch properties.generalCategory {
        case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter,
            .nonspacingMark, .spacingMark, .enclosingMark:
            true
        default: false
        }
    }
}

extension [Unicode.Scalar] {
    /// Whether an array in ascending order holds the scalar.
    fileprivate func containsSorted(_ scalar: Unicode.Scalar) -> Bool {
        var low = startIndex
        var high = endIndex
        while low < high {
            let middle = low + (high - low) / 2
            if self[middle] < scalar { low = middle + 1 } else { high = middle }
        }
        return low < endIndex && self[low] == scalar
    }
}
