import ProfileCore
import ProfileForm
import Testing

extension CalendarDay {
    /// 2026-11-21.
    static let someDay = CalendarDay(secondsSince1970: 1_795_219_200) ?? .latest
}

extension FieldName {
    static func named(_ text: String) throws -> FieldName { try #require(FieldName(text)) }
}

/// A field that ended, and the code of its issue.
struct Ended: Equatable {
    let field: FieldName
    let code: ValidationIssue.Code?
}

extension FormState {
    /// A form for the standard schema, with the focus in a field.
    static func standard(editing name: String? = nil) throws -> FormState {
        var form = FormState(ProfileValidator(.standard), on: .someDay)
        if let name { form.handle(.focus(try .named(name))) }
        return form
    }

    /// A form for a schema of `username` and these fields.
    static func custom(_ fields: String, editing name: String? = nil) throws -> FormState {
        let schema = try ProfileSchema(
            parsing:
                #"{"fields": [{"name": "username", "constraints": {"required": true, "unique": true}}, \#(fields)]}"#)
        var form = FormState(ProfileValidator(schema), on: .someDay)
        if let name { form.handle(.focus(try .named(name))) }
        return form
    }

    /// The field with the focus.
    var active: FormField { get throws { try #require(focus.flatMap { self[$0] }) } }

    subscript(name: String) -> FormField { get throws { try #require(self[try FieldName.named(name)]) } }

    @discardableResult
    mutating func type(_ text: String) -> [FormEffect] { text.flatMap { handle(.type($0)) } }

    /// Valid values in every required field.
    mutating func fill() throws {
        for (name, text) in [
            ("username", "skboard"), ("password", "aK8oio"), ("phone", "78761241"), ("address", "12 Main St"),
        ] {
            handle(.focus(try .named(name)))
            type(text)
        }
        handle(.endEditing)
    }
}

extension [FormEffect] {
    var ended: [Ended] {
        compactMap {
            if case .fieldEnded(let field, let issue) = $0 { Ended(field: field, code: issue?.code) } else { nil }
        }
    }

    var issuesChanged: [FieldName] { compactMap { if case .issueChanged(let field) = $0 { field } else { nil } } }

    var searches: [Bool] { compactMap { if case .searchAvailable(let isAvailable) = $0 { isAvailable } else { nil } } }

    var submitted: ValidProfile? { compactMap { if case .submitted(let profile) = $0 { profile } else { nil } }.first }

    var rejected: ValidationFailure? {
        compactMap { if case .rejected(let failure) = $0 { failure } else { nil } }.first
    }

    var isRefusal: Bool { contains { if case .refused = $0 { true } else { false } } }

    var isCut: Bool { contains { if case .cut = $0 { true } else { false } } }

    /// Fields ended and focus moved, in order, as `end username` and `username > password`.
    var steps: [String] {
        compactMap { effect in
            switch effect {
            case .fieldEnded(let field, _): "end \(field)"
            case .focusMoved(let from, let to): "\(from?.text ?? "-") > \(to?.text ?? "-")"
            case .submitted: "submitted"
            case .rejected: "rejected"
            default: nil
            }
        }
    }
}
