// Validates values that are not text: dates, times, numbers and booleans.
extension FieldValidator {
    func judgeDate(
        _ value: Span<UInt8>, _ formats: [DateFormat], today: CalendarDay?, _ issues: inout [ValidationIssue]
    ) -> Outcome {
        // The loop uses indices, because a loop over the elements would copy each format.
        for index in formats.indices {
            switch formats[index].read(value) {
            case .otherFormat: continue
            case .noSuchDay: return bad(.badDate, &issues)
            case .value(let day):
                let earliest = rules.minimum?.day(today: today) ?? day
                let latest = rules.maximum?.day(today: today) ?? day
                if day < earliest || day > latest {
                    return bad(.dateOutOfRange(minimum: rules.minimum, maximum: rules.maximum), &issues)
                }
                return formats[index].isISO ? .asGiven : .canonical(day.description)
            }
        }
        return bad(.badFormat(expected: .dates(formats)), &issues)
    }

    func judgeDateTime(
        _ value: Span<UInt8>, _ formats: [DateFormat], _ issues: inout [ValidationIssue]
    ) -> Outcome {
        switch Self.read(value, formats, iso: DateTime.read, { $0.readDateTime($1) }) {
        case .otherFormat: return bad(.badFormat(expected: .dateTimes(formats)), &issues)
        case .noSuchDay: return bad(.badDate, &issues)
        case .value(let moment):
            var isInRange = true
            if case .dateTime(let least) = rules.minimum, moment < least { isInRange = false }
            if case .dateTime(let most) = rules.maximum, moment > most { isInRange = false }
            guard isInRange else {
                return bad(.dateOutOfRange(minimum: rules.minimum, maximum: rules.maximum), &issues)
            }
            return .canonical(moment.description)
        }
    }

    func judgeTime(
        _ value: Span<UInt8>, _ formats: [DateFormat], _ issues: inout [ValidationIssue]
    ) -> Outcome {
        guard case .value(let time) = Self.read(value, formats, iso: TimeOfDay.read, { $0.readTime($1) }) else {
            return bad(.badFormat(expected: .times(formats)), &issues)
        }
        if case .time(let least) = rules.minimum, time < least { return outOfRange(&issues) }
        if case .time(let most) = rules.maximum, time > most { return outOfRange(&issues) }
        return .canonical(time.description)
    }

    /// Reads a datetime or a time in the first format that matches. If the field has no formats, reads ISO 8601.
    private static func read<Moment>(
        _ value: Span<UInt8>, _ formats: [DateFormat], iso: (Span<UInt8>) -> DateFormat.Reading<Moment>,
        _ read: (DateFormat, Span<UInt8>) -> DateFormat.Reading<Moment>
    ) -> DateFormat.Reading<Moment> {
        guard !formats.isEmpty else { return iso(value) }
        for format in formats {
            let reading = read(format, value)
            if reading != .otherFormat { return reading }
        }
        return .otherFormat
    }

    func judgeYear(_ value: Span<UInt8>, _ issues: inout [ValidationIssue]) -> Outcome {
        guard value.count == 4, let year = value.digits(0..<4) else {
            return bad(.badFormat(expected: .year), &issues)
        }
        if case .integer(let least) = rules.minimum, year < least { return outOfRange(&issues) }
        if case .integer(let most) = rules.maximum, year > most { return outOfRange(&issues) }
        return .asGiven
    }

    func judgeInteger(
        _ value: Span<UInt8>, isTyped: Bool, _ issues: inout [ValidationIssue]
    ) -> Outcome {
        let read = if let numbers, isTyped { numbers.integer(value) } else { NumberText.integer(value) }
        guard let integer = read else {
            return bad(.badFormat(expected: .integer(rules.numberFormat)), &issues)
        }
        if let unit, isTyped, let other = unit.other(in: value) { return otherUnit(other, unit, &issues) }
        if case .integer(let least) = rules.minimum, integer < least { return outOfRange(&issues) }
        if case .integer(let most) = rules.maximum, integer > most { return outOfRange(&issues) }
        return .canonical(String(integer))
    }

    func judgeNumber(
        _ value: Span<UInt8>, isTyped: Bool, _ issues: inout [ValidationIssue]
    ) -> Outcome {
        let read = if let numbers, isTyped { numbers.number(value) } else { NumberText.number(value) }
        guard let number = read else {
            return bad(.badFormat(expected: .number(rules.numberFormat)), &issues)
        }
        if let unit, isTyped, let other = unit.other(in: value) { return otherUnit(other, unit, &issues) }
        if case .number(let least) = rules.minimum, number < least { return outOfRange(&issues) }
        if case .number(let most) = rules.maximum, number > most { return outOfRange(&issues) }
        return .canonical(NumberText.canonical(number))
    }

    /// Reports that a text other than the unit is beside the number. This text may change the meaning of the number, so
    /// the number must not be stored without the text.
    private func otherUnit(_ other: String, _ unit: FieldUnit, _ issues: inout [ValidationIssue]) -> Outcome {
        bad(.badFormat(expected: .unit(unit.text, found: other)), &issues)
    }

    private func outOfRange(_ issues: inout [ValidationIssue]) -> Outcome {
        bad(.outOfRange(minimum: rules.minimum, maximum: rules.maximum), &issues)
    }

    func judgeBoolean(
        _ value: Span<UInt8>, _ trueWords: ByteStrings, _ falseWords: ByteStrings, _ issues: inout [ValidationIssue]
    ) -> Outcome {
        if trueWords.contains(value) { return .canonical("true") }
        if falseWords.contains(value) { return .canonical("false") }
        return bad(.badFormat(expected: .boolean(rules.trueValues, rules.falseValues)), &issues)
    }

    func judgeStoredBoolean(_ value: Span<UInt8>, _ issues: inout [ValidationIssue]) -> Outcome {
        rules.type.holds(value) ? .asGiven : bad(.badFormat(expected: .stored), &issues)
    }
}

extension Bound {
    fileprivate func day(today: CalendarDay?) -> CalendarDay? {
        if case .day(let day) = self { return day }
        return today
    }
}
