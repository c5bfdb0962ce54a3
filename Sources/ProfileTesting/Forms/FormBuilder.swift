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

    /// 2026-11-21: the day that forms go by unless they are told another.
    public static let someDay = CalendarDay(secondsSince1970: 1_795_219_200) ?? .latest

    /// What somebody types who fills a form of the standard schema in: valid in every field.
    public static let validTexts = [
        "username": "skboard", "password": "aK8oio", "phone": "78761241", "address": "12 Yishun Ring Road",
        "postal_code": "13456", "birthday": "19980115",
    ]

    /// An empty form for a schema, in which nothing has the focus.
    public init(_ schema: ProfileSchema = .standard) { self.schema = schema }

    /// The day that rules such as "not in the future" go by.
    public func on(_ today: CalendarDay) -> FormBuilder { with { $0.today = today } }

    /// For a stored profile: what the form holds at the beginning, by the names of fields and in the stored form.
    public func holding(_ values: [String: String], hasPassword: Bool = true) -> FormBuilder {
        with { builder in
            builder.values = Self.named(values)
            builder.hasPassword = hasPassword
        }
    }

    /// What was typed into it, by the names of fields.
    public func filled(_ texts: [String: String] = FormBuilder.validTexts) -> FormBuilder {
        with { $0.typed = Self.named(texts) }
    }

    /// The field that has the focus; none where there is none of that name.
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

    /// Names that are none belong to no field.
    private static func named(_ texts: [String: String]) -> [FieldName: String] {
        var named: [FieldName: String] = [:]
        for (name, text) in texts {
            if let name = FieldName(name) { named[name] = text }
        }
        return named
    }
}
