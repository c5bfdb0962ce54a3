internal import ProfileCore
internal import ProfileStore

/// Parses a schema file, and judges values by it. The values follow the file, after a byte 0x1E, with a byte 0x1F between
/// them.
struct SchemaCheck {
    private let file: [UInt8]
    private let values: [[UInt8]]

    init(_ input: [UInt8]) {
        let parts = input.split(separator: 0x1E, maxSplits: 1, omittingEmptySubsequences: false).map { Array($0) }
        file = parts.first ?? []
        values = parts.dropFirst().flatMap { $0.split(separator: 0x1F).map { Array($0) } }
    }

    private static let samples = [
        "", "a", "Ab1-", "12", "-3.50", "1,234", "true", "2020-02-29", "29.02.2020", "2020-02-29T23:59:60Z", "12:30",
        "a@example.org", "urn:x", "00000000-0000-0000-0000-000000000000", "\u{1F1F8}\u{1F1EC}", "NA",
    ]

    func run() throws {
        let schema: ProfileSchema
        do throws(SchemaFailure) {
            schema = try ProfileSchema(parsing: file.span)
        } catch {
            try require(!error.errors.isEmpty, "a refused schema without an error")
            _ = error.errors.map(\.description)
            return
        }
        let document = schema.document()
        for text in [document, schema.document(indented: true)] {
            let again = try ProfileSchema(parsing: text)
            try require(again == schema && again.document() == document, "\(document) becomes \(again.document())")
            try require(again.fingerprint, is: schema.fingerprint, "the fingerprint of \(document)")
        }
        try require(SchemaDifference(from: schema, to: schema).isEmpty, "\(document) differs from itself")
        _ = SchemaDifference(from: .standard, to: schema)
        let validator = ProfileValidator(schema)
        let texts = Self.samples + values.compactMap { String(validating: $0, as: UTF8.self) }
        for index in schema.fields.indices {
            for text in texts { try judge(text, index, validator) }
        }
        judgeWhole(texts, validator)
    }

    /// Validates one value of one field. Requires that the stored form and the typed form of a valid value have the
    /// same stored form again.
    private func judge(_ text: String, _ index: Int, _ validator: ProfileValidator) throws {
        let rules = validator.schema.fields[index]
        guard !rules.isSecret else { return }
        guard let stored = value(of: text, index, validator, .typed) else { return }
        for (form, notation) in [
            (stored, ValueNotation.stored), (stored, .canonical), (rules.typedForm(of: stored), .typed),
        ] {
            let again = value(of: form, index, validator, notation)
            try require(
                again.map { Array($0.utf8) } == Array(stored.utf8),
                "\(text.debugDescription) in \(rules.name.text) is \(stored.debugDescription), and the \(notation) form "
                    + "\(form.debugDescription) is \(again.debugDescription): \(validator.schema.document())")
        }
        try require(
            validator.storedForm(of: text, in: rules.name).map { Array($0.utf8) } == Array(stored.utf8),
            "the stored form of \(text.debugDescription) in \(rules.name.text)")
    }

    /// Returns the stored form of a value; nil if it is missing or invalid.
    private func value(
        of text: String, _ index: Int, _ validator: ProfileValidator, _ notation: ValueNotation
    ) -> String? {
        var rows = RowValidator(validator, today: ImportChoices.today)
        rows.beginRow()
        rows.judge(Array(text.utf8).span, index: index, as: notation)
        // The row has a value for this field only.
        return rows.issues.isEmpty ? rows.profiles.text(row: 0, field: 0) : nil
    }

    private func judgeWhole(_ texts: [String], _ validator: ProfileValidator) {
        for start in texts.indices {
            var draft = ProfileDraft()
            for (offset, field) in validator.schema.fields.enumerated() {
                draft[field.name.text] = texts[(start + offset) % texts.count]
            }
            do throws(ValidationFailure) {
                _ = try validator.validate(draft, on: ImportChoices.today)
            } catch {
                _ = error.issues.map { validator.schema.message(for: $0) }
            }
        }
    }
}
