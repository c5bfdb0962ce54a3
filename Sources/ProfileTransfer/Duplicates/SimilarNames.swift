internal import CSVStream
internal import ProfileStore

/// Finds pairs of similar names with the sorted neighbourhood method (Hernández and Stolfo 1995). The names are sorted
/// in several orders, and each name is compared only with the ``window`` names before it. So the time does not grow
/// with the square of the number of profiles.
struct SimilarNames {
    /// The orders in which similar names are often neighbours.
    enum Order: UInt8, CaseIterable {
        /// Sorts by the names, so similar names with the same beginning are neighbours.
        case forward
        /// Sorts by the reversed names, so similar names with the same ending are neighbours.
        case backward
        /// Sorts by the names without vowels and repeated letters, so names that sound alike are neighbours.
        case sounds
    }

    private struct Neighbour {
        let name: [UInt8]
        let letters: [UInt32]
        /// The profile, encoded by ``ProfileDuplicates/Member/contents(id:_:)``. If several profiles have this name,
        /// this is the last of them.
        var contents: [UInt8]
    }

    /// The number of different earlier names with which each name is compared.
    static let window = 10

    private var neighbours: [Neighbour] = []
    private var distances = EditDistance()

    /// Returns the key by which a name is sorted in an order. Different names have different keys.
    static func key(of name: [UInt8], in order: Order) -> [UInt8] {
        switch order {
        case .forward: return [order.rawValue] + name
        case .backward: return [order.rawValue] + name.reversed()
        case .sounds:
            var key = [order.rawValue]
            for byte in name {
                switch byte {
                case UInt8(ascii: "a"), UInt8(ascii: "e"), UInt8(ascii: "i"), UInt8(ascii: "o"), UInt8(ascii: "u"),
                    UInt8(ascii: "y"), UInt8(ascii: "h"), UInt8(ascii: " "),
                    byte where byte == key.last:
                    continue
                default: key.append(byte)
                }
            }
            return key + [0] + name
        }
    }

    /// Removes all names. The next name is the first name in another order.
    mutating func begin() { neighbours.removeAll(keepingCapacity: true) }

    /// Compares a name with the names before it. If the previous profile has the same name, the profile is compared
    /// only with the previous profile.
    ///
    /// - Parameters:
    ///   - name: The plain words of the name.
    ///   - contents: The bytes of the profile, which begin with its id.
    ///   - found: Receives the bytes of each similar profile, and the distance of the names.
    /// - Throws: The error of `found`.
    mutating func add(
        _ name: [UInt8], _ contents: [UInt8], found: (_ other: [UInt8], _ distance: Int) throws(ComparisonError) -> Void
    ) throws(ComparisonError) {
        // The names are sorted, so equal names follow one another.
        if let last = neighbours.last, last.name == name {
            try found(last.contents, 0)
            neighbours[neighbours.count - 1].contents = contents
            return
        }
        let letters = Self.letters(of: name)
        for neighbour in neighbours {
            let limit = Self.mostDistance(of: min(letters.count, neighbour.letters.count))
            guard limit > 0 else { continue }
            if let distance = distances.between(letters, neighbour.letters, atMost: limit) {
                try found(neighbour.contents, distance)
            }
        }
        if neighbours.count == Self.window { neighbours.removeFirst() }
        neighbours.append(Neighbour(name: name, letters: letters, contents: contents))
    }

    private static func letters(of name: [UInt8]) -> [UInt32] {
        name.contains { $0 >= 0x80 }
            ? String(decoding: name, as: UTF8.self).unicodeScalars.map(\.value) : name.map(UInt32.init)
    }

    /// The number of letters in which names of this length may differ. Short names that differ in one letter are often
    /// different names, such as Jan and Jon.
    static func mostDistance(of length: Int) -> Int { length < 6 ? 0 : length < 12 ? 1 : 2 }
}
