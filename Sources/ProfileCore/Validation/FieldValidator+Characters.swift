extension ProfileValidator {
    /// Returns the first character in `value` that the field does not accept.
    ///
    /// - Parameters:
    ///   - value: Valid UTF-8, as typed.
    ///   - index: The field's position in the schema.
    /// - Returns: The character and its position. Nil if the field accepts every character of the value. Also nil if
    ///   the field is secret, or if its rules define no set of accepted characters.
    package func refusedCharacter(in value: Span<UInt8>, index: Int) -> RefusedCharacter? {
        fields[index].rules.isSecret ? nil : fields[index].refusedCharacter(in: value)
    }
}

extension FieldValidator {
    fileprivate func refusedCharacter(in value: Span<UInt8>) -> RefusedCharacter? {
        guard let isTaken = takenScalars else { return nil }
        let text = String(value)
        // White space around the value is ignored (S2). But the position of a character is counted in the typed text,
        // which includes this white space.
        let isAround: (Character) -> Bool = { $0.utf8.allSatisfy(\.isASCIIWhitespace) }
        guard let start = text.firstIndex(where: { !isAround($0) }), let end = text.lastIndex(where: { !isAround($0) })
        else { return nil }
        guard let place = text[start...end].firstIndex(where: { !$0.unicodeScalars.allSatisfy(isTaken) }) else {
            return nil
        }
        return RefusedCharacter(
            character: text[place], position: text.distance(from: text.startIndex, to: place) + 1)
    }

    /// A function that returns whether the field accepts a scalar. Nil if the rules define no set of accepted scalars.
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
