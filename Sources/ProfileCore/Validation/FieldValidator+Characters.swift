extension ProfileValidator {
    /// Returns the first character of a value that the field does not accept.
    ///
    /// - Parameters:
    ///   - value: Valid UTF-8, as typed.
    ///   - index: The field's position in the schema.
    /// - Returns: The character and its position. Nil if the field accepts every character, if it is secret, or if its
    ///   rule is not a set of characters.
    package func refusedCharacter(in value: Span<UInt8>, index: Int) -> RefusedCharacter? {
        fields[index].rules.isSecret ? nil : fields[index].refusedCharacter(in: value)
    }
}

extension FieldValidator {
    fileprivate func refusedCharacter(in value: Span<UInt8>) -> RefusedCharacter? {
        guard let isTaken = takenScalars else { return nil }
        let text = String(value)
        // White space around a value is not part of it (S2), but it counts in the positions of characters.
        let isAround: (Character) -> Bool = { $0.utf8.allSatisfy(\.isASCIIWhitespace) }
        guard let start = text.firstIndex(where: { !isAround($0) }), let end = text.lastIndex(where: { !isAround($0) })
        else { return nil }
        guard let place = text[start...end].firstIndex(where: { !$0.unicodeScalars.allSatisfy(isTaken) }) else {
            return nil
        }
        return RefusedCharacter(
            character: text[place], position: text.distance(from: text.startIndex, to: place) + 1)
    }

    /// The set of accepted scalars; nil if a set alone cannot describe the rule.
    private var takenScalars: ((Unicode.Scalar) -> Bool)? {
        if let mask = rules.mask {
            return { $0.isASCII && (UInt8($0.value).isASCIIDigit || mask.literals.contains(UInt8($0.value))) }
        }
        switch rules.type {
        case .string: return { [characters] in characters.contains($0) }
        case .year: return { $0.isASCII && UInt8($0.value).isASCIIDigit }
        case .date, .dateTime, .time, .integer, .number, .boolean: return nil
        }
    }
}
