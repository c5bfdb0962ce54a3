extension WrittenForm {
    /// Returns whether the field reads its values in this form. The method ignores the field's bounds. It also ignores
    /// `missingValues`, because the store never contains a value that equals one of them.
    func isRead(by rules: FieldRules) -> Bool {
        var plain = FieldRules(name: rules.name, title: rules.title, type: rules.type)
        plain.formats = rules.formats
        plain.numberFormat = rules.numberFormat
        plain.unit = rules.unit
        let validator = FieldValidator(plain)
        return Self.samples(of: rules.type).allSatisfy { sample in
            validator.canonical(self.text(of: sample, plain) ?? plain.originalForm(of: sample)) == sample
        }
    }

    private static func samples(of type: FieldType) -> [String] {
        switch type {
        case .integer: ["-1234", "5"]
        case .number: ["-1234.5", "0.25"]
        case .date: ["2024-02-03"]
        case .dateTime: ["2024-02-03T04:00:00"]
        case .time: ["04:00:00"]
        case .string, .boolean, .year: []
        }
    }
}
