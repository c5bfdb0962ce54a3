/// A few short texts, looked up by their bytes: no value is copied, and one that is longer than each of them is not looked
/// at.
struct ByteStrings: Sendable {
    /// By their length.
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

    /// In bytes; zero where there is none.
    var longestLength: Int { max(0, byLength.count - 1) }

    func contains(_ value: Span<UInt8>) -> Bool {
        guard value.count < byLength.count else { return false }
        return byLength[value.count].contains { text in
            for index in value.indices where value[index] != text[index] { return false }
            return true
        }
    }
}
