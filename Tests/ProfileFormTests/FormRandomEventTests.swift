import ProfileCore
import ProfileForm
import ProfileTesting
import Testing
import Watchdog

/// F12: a million random events in the long runs, and a tenth of them otherwise.
@Suite(.watched) struct FormRandomEventTests {
    @Test(
        "F12: random events never yield a value over its limit, a second hyphen or a caret outside the text",
        arguments: [UInt64(20_261_121), 1, 2, 3])
    func randomEvents(_ seed: UInt64) throws {
        print("seed \(seed)")
        var random = SeededGenerator(seed: seed)
        var form = try FormState.standard()
        var delegate = FormDelegate(form)
        var submissions = 0
        for step in 0..<(Length.isLong ? 250_000 : 25_000) {
            let place = "step \(step) of seed \(seed)"
            let event = try Self.event(&random, form.focus)
            let edited = form.focus
            let effects = form.handle(event)
            submissions += effects.submitted == nil ? 0 : 1
            try Self.check(form, edited, "\(place): \(event)")
            if step % 8 == 0 { try Self.give(event, to: &delegate, &random, place) }
            if effects.ended.count > 1 { Issue.record("a field ended twice at \(place)") }
        }
        #expect(submissions > 0)
    }

    @Test(
        "F12: random events in fields with choices never yield a value over its limit, or a selection outside the list",
        arguments: [UInt64(20_261_122), 5])
    func randomChoices(_ seed: UInt64) throws {
        print("seed \(seed)")
        var random = SeededGenerator(seed: seed)
        let fields = """
            {"name": "level", "constraints": {"enum": ["basic", "silver", "gold", "B 7", "é"]}},
            {"name": "member", "type": "boolean", "trueValues": ["1"], "falseValues": ["0"]},
            {"name": "code", "constraints": {"required": true, "enum": ["1234-5678", "7876-1241"]},
             "profiles": {"mask": "####-####"}},
            {"name": "size", "type": "integer", "constraints": {"enum": [1, 7, 78761241]}}
            """
        var form = FormState(
            ProfileValidator(try FormState.custom(fields).schema), on: .someDay,
            values: [try .named("level"): "iron", try .named("member"): "true"])
        var delegate = FormDelegate(form)
        var submissions = 0
        for step in 0..<(Length.isLong ? 125_000 : 12_500) {
            let place = "step \(step) of seed \(seed)"
            let event = try Self.event(
                &random, form.focus, names: ["username", "level", "member", "code", "size", "nobody"])
            let edited = form.focus
            let effects = form.handle(event)
            submissions += effects.submitted == nil ? 0 : 1
            try Self.check(form, edited, "\(place): \(event)")
            if step % 8 == 0 { try Self.give(event, to: &delegate, &random, place) }
            for field in form.fields {
                guard let picker = field.picker else { continue }
                let isInOrder =
                    picker.selection.map(picker.matches.indices.contains) ?? true
                    && (field.name == form.focus || !picker.isOpen)
                    && picker.matches.allSatisfy(picker.choices.contains)
                if !isInOrder { throw OutOfOrder(place: place, text: field.text, caret: field.caret) }
            }
        }
        #expect(submissions > 0)
    }

    /// Gives the event to the delegate's form too, and then a text for a random range, which may lie outside the
    /// field's text.
    private static func give(
        _ event: FormEvent, to delegate: inout FormDelegate, _ random: inout SeededGenerator, _ place: String
    ) throws {
        delegate.form.handle(event)
        let start = Int.random(in: 0..<12, using: &random) - 1
        let range = start..<start + Int.random(in: 0..<8, using: &random)
        _ = delegate.shouldChangeCharacters(in: range, replacement: text(&random))
        try check(delegate.form, delegate.form.focus, "\(place): delegate \(range)")
    }

    private static func check(_ form: FormState, _ edited: FieldName?, _ place: @autoclosure () -> String) throws {
        for name in [edited, form.focus] {
            guard let field = name.flatMap({ form[$0] }) else { continue }
            let text = field.text
            // A user who searches the choices may type Yes, which may be longer than the value of the schema.
            let limit = max(field.rules.longestLength ?? .max, field.isChoosing ? 3 : 0)
            let isInOrder =
                text.count <= limit && 0...text.count ~= field.caret
                && 0...field.visibleText.count ~= field.visibleCaret
                && (field.rules.mask == nil || text.count { $0 == "-" } <= 1)
            if !isInOrder { throw OutOfOrder(place: place(), text: text, caret: field.caret) }
        }
    }

    struct OutOfOrder: Error {
        let place: String
        let text: String
        let caret: Int
    }

    private static let pieces = [
        "a", "B", "7", "0", "-", " ", "\n", "\t", "é", "e\u{301}", "\u{301}", "\u{200D}", "👨‍👩‍👧", "🇸", "🇬", "한",
        "\u{1100}", "\u{1161}", "マ", "\r\n", "\0", "78761241", "7876-1241", "skboard", "aK8oio", "1998.01.15",
        "12 Main St", "89761", FormTypingTests.lorem,
    ]

    private static let valid = [
        "username": "skboard", "password": "aK8oio", "phone": "78761241", "address": "12 Main St",
        "postal_code": "89761", "birthday": "19980115",
    ]

    private static func text(_ random: inout SeededGenerator) -> String {
        (0..<Int.random(in: 0..<3, using: &random)).map { _ in pieces[Int.random(in: 0..<pieces.count, using: &random)]
        }.joined()
    }

    private static func event(
        _ random: inout SeededGenerator, _ focus: FieldName?,
        names: [String] = ["username", "password", "phone", "address", "postal_code", "birthday", "nobody"]
    ) throws -> FormEvent {
        let piece = pieces[Int.random(in: 0..<pieces.count, using: &random)]
        switch Int.random(in: 0..<29, using: &random) {
        case 0...6: return .type(piece.first ?? "x")
        case 7: return .paste(text(&random))
        case 8: return .autoFill(piece)
        case 9: return .autoFill(focus.flatMap { valid[$0.text] } ?? piece)
        case 10: return .focus(try .named(names[Int.random(in: 0..<names.count, using: &random)]))
        case 11: return .endEditing
        case 12, 13: return .backspace
        case 14: return .delete
        case 15: return [.deleteToStart, .deleteToEnd, .deleteWord][Int.random(in: 0..<3, using: &random)]
        case 16: return .moveLeft
        case 17: return .moveRight
        case 18: return [.moveToStart, .moveToEnd][Int.random(in: 0..<2, using: &random)]
        case 19: return .moveCaret(to: Int.random(in: 0..<80, using: &random) - 5)
        case 20: return .next
        case 21: return .previous
        case 22: return .return
        case 23:
            return [.nextPage, .previousPage, .firstField, .lastField][Int.random(in: 0..<4, using: &random)]
        case 24: return [.openChoices, .closeChoices][Int.random(in: 0..<2, using: &random)]
        case 25: return [.nextChoice, .previousChoice][Int.random(in: 0..<2, using: &random)]
        case 26: return .choose(["gold", "1", "7", ""][Int.random(in: 0..<4, using: &random)])
        case 27: return .revealSecret(Bool.random(using: &random))
        default: return .submit
        }
    }
}
