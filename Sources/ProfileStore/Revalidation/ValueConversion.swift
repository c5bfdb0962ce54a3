internal import ProfileCore

/// The conversion of stored values to the stored form of other rules.
///
/// The version of the schema that last validated a profile determines the form of its values. If the type or the mask
/// of a field has changed since, its values are converted. The value of a field that was a text field is read as if a
/// person typed it into the new field. If the earlier field had a mask, only the digits of the value are read, unless
/// the new field is a text field without a mask. The value of a field that was not a text field is read in the notation
/// of JSON.
struct ValueConversion: Sendable {
    /// The way in which a stored value is read.
    enum Reading: Sendable {
        /// The value is read in the stored form. It needs no conversion.
        case stored
        case typed
        case typedDigits
        case canonical
    }

    /// The key is a version of the schema. The value contains, for each field, how its values are read in profiles that
    /// this version validated last.
    private let readings: [Int: [Reading]]
    /// For each field, how a value is read if the new rules have already validated the profile and found an issue of
    /// the field. Revalidation does not change values, so such a value may still have its earlier form.
    private let ofIssues: [Reading]
    private let version: Int?

    /// Compares a schema with the versions of the store.
    ///
    /// - Parameters:
    ///   - schema: The schema, with assigned columns.
    ///   - versions: All schemas that were ever in force, oldest first. The schema may be the last of them.
    init(to schema: ProfileSchema, from versions: [AdoptedSchema]) {
        version = versions.last.flatMap { $0.isSame(as: schema) ? $0.version : nil }
        var readings: [Int: [Reading]] = [:]
        var ofIssues = schema.fields.map { _ in Reading.stored }
        for adopted in versions {
            let sources = schema.sources(in: adopted.schema)
            let list = zip(schema.fields, sources).map { field, source in
                source.map { field.reading(ofValuesUnder: adopted.schema.fields[$0]) } ?? .stored
            }
            readings[adopted.version] = list
            ofIssues = zip(list, ofIssues).map { $0 == .stored ? $1 : $0 }
        }
        self.readings = readings
        self.ofIssues = ofIssues
    }

    /// Whether no value needs a conversion.
    var isEmpty: Bool { ofIssues.allSatisfy { $0 == .stored } }

    /// Whether values of a field may need a conversion.
    func mayChange(field: Int) -> Bool { ofIssues[field] != .stored }

    /// Returns the way in which a stored value is read.
    ///
    /// - Parameters:
    ///   - field: The position of its field.
    ///   - judgedBy: The version of the schema that has last judged the profile.
    ///   - hasIssue: Whether that judgement found an issue of the field.
    /// - Returns: The reading.
    func reading(ofField field: Int, judgedBy: Int, hasIssue: @autoclosure () -> Bool) -> Reading {
        guard judgedBy == version else { return readings[judgedBy]?[field] ?? .stored }
        return ofIssues[field] != .stored && hasIssue() ? ofIssues[field] : .stored
    }
}

extension ValueConversion.Reading {
    /// Passes a stored value to a validation: its bytes, and their notation.
    func judge(_ value: Span<UInt8>, _ body: (Span<UInt8>, ValueNotation) -> Void) {
        switch self {
        case .stored: body(value, .stored)
        case .typed: body(value, .typed)
        case .typedDigits: body(value.digits.span, .typed)
        case .canonical: body(value, .canonical)
        }
    }

    /// Returns a stored value as an input for a draft; nil if the value needs no conversion.
    func draftValue(_ text: String) -> DraftValue? {
        switch self {
        case .stored: nil
        case .typed: DraftValue(text)
        case .typedDigits: DraftValue(String(decoding: text.utf8Span.span.digits, as: UTF8.self))
        case .canonical: DraftValue(canonical: text)
        }
    }
}

extension FieldRules {
    /// Returns the reading of this field's values that were stored under its earlier rules.
    fileprivate func reading(ofValuesUnder earlier: FieldRules) -> ValueConversion.Reading {
        if type == earlier.type, mask == earlier.mask { return .stored }
        guard earlier.type == .string else { return .canonical }
        return earlier.mask == nil || mask == nil && type == .string ? .typed : .typedDigits
    }
}

extension Span<UInt8> {
    fileprivate var digits: [UInt8] {
        indices.compactMap { index in (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self[index]) ? self[index] : nil
        }
    }
}
