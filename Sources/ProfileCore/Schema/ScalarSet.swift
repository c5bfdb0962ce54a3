/// The compiled set of the characters that a field allows.
///
/// The set looks up an ASCII character in a table. For any other character, the set reads a Unicode property or
/// searches a sorted list. So validation is fast even if the list of characters is long.
struct ScalarSet: Sendable {
    /// The ASCII members.
    private(set) var ascii = ASCIISet { _ in false }
    private var beyondASCII: BeyondASCII

    private enum BeyondASCII: Sendable {
        case allButControls
        /// If `letters` is true, all letters and their marks are members. If `digits` is true, all decimal digits are
        /// members. `listed` contains the characters that the field lists, sorted by code point.
        case classes(letters: Bool, digits: Bool, listed: [Unicode.Scalar])
    }

    /// All characters except control characters. Tab, LF and CR are members.
    static let text = ScalarSet(ascii: .text, beyondASCII: .allButControls)

    private init(ascii: ASCIISet, beyondASCII: BeyondASCII) {
        self.ascii = ascii
        self.beyondASCII = beyondASCII
    }

    init(_ classes: [AllowedCharacters]) {
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

    /// Whether all members are ASCII.
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
    /// Whether the general category is L or M.
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
    /// Whether the array contains the scalar. The array must be sorted in ascending order.
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
