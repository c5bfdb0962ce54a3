public import ProfileCore
public import ProfileForm

/// Builds forms for tests, step by step.
///
/// ```swift
/// let form = FormBuilder(.standard).filled().editing("postal_code").form
/// ```
public struct FormBuilder: Sendable {
    private let schema: ProfileSchema
    private var today = FormBuilder.someDay
    private var hasPassword = false
    private var values: [FieldName: String] = [:]
    private var typed: [FieldName: String] = [:]
    private var focus: FieldName?

    /// The default value for the current day: 2026-11-21. ``on(_:)`` sets another day.
    public static let someDay = CalendarDay(secondsSince1970: 1_795_219_200) ?? .latest

    /// Texts to type into a form of the standard schema; all are valid.
    public static let validTexts = [
        "username": "skboard", "password": "aK8oio", "phone": "78761241", "address": "12 Yishun Ring Road",
        "postal_code": "13456", "birthday": "19980115",
    ]

    /// Creates a builder of an empty form for a schema. No field has the focus.
    public init(_ schema: ProfileSchema = .standard) { self.schema = schema }

    /// Sets the current day for rules such as "not in the future".
    public func on(_ today: CalendarDay) -> FormBuilder { with { $0.today = today } }

    /// Sets the initial values of the form. The form then looks like a form for editing a stored profile. The keys are
    /// field names. Each value is written as the store keeps it.
    public func holding(_ values: [String: String], hasPassword: Bool = true) -> FormBuilder {
        with { builder in
            builder.values = Self.named(values)
            builder.hasPassword = hasPassword
        }
    }

    /// Sets the texts to type into the fields. The keys are field names.
    public func filled(_ texts: [String: String] = FormBuilder.validTexts) -> FormBuilder {
        with { $0.typed = Self.named(texts) }
    }

    /// Sets the field that has the focus. If no field has this name, no field gets the focus.
    public func editing(_ name: String) -> FormBuilder { with { $0.focus = FieldName(name) } }

    /// The form.
    public var form: FormState {
        var form = FormState(ProfileValidator(schema), on: today, hasPassword: hasPassword, values: values)
        if !typed.isEmpty { form.fill(typed) }
        if let focus { form.handle(.focus(focus)) }
        return form
    }

    private func with(_ change: (inout FormBuilder) -> Void) -> FormBuilder {
        var builder = self
        change(&builder)
        return builder
    }

    /// Returns the text for each field name. Omits a text if its key is not a valid field name.
    private static func named(_ texts: [String: String]) -> [FieldName: String] {
        var named: [FieldName: String] = [:]
        for (name, text) in texts {
            if let name = FieldName(name) { named[name] = text }
        }
        return named
    }
}
