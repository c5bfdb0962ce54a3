/// A set of a few short texts, which are compared as bytes.
///
/// ``contains(_:)`` does not copy its argument. If the argument is longer than the longest text of the set, the bytes
/// of the argument are not read.
struct ByteStrings: Sendable {
    /// The texts, grouped by length. The index is the length of the texts in bytes.
    private let byLength: [[[UInt8]]]

    init(_ texts: [String]) {
        let texts = texts.map { Array($0.utf8) }
        guard let longest = texts.map(\.count).max() else {
            byLength = []
            return
        }
        var byLength: [[[UInt8]]] = Array(repeating: [], count: longest + 1)
        for text in texts { byLength[text.count].append(text) }
        self.byLength = byLength
    }

    /// The length of the longest text in bytes; 0 if the set is empty.
    var longestLength: Int { max(0, byLength.count - 1) }

    func contains(_ value: Span<UInt8>) -> Bool {
        guard value.count < byLength.count else { return false }
        return byLength[value.count].contains { text in
            for index in value.indices where value[index] != text[index] { return false }
            return true
        }
    }
}
