import Testing
import Watchdog

@testable import ProfileCore

/// Values with a unit that is not the unit of their field.
@Suite(.watched) struct UnitRuleTests {
    private func stored(_ text: String, unit: String, type: String = "number") throws -> Result<String?, IssueText> {
        let schema = try ProfileSchema(
            parsing: """
                {"fields": [{"name": "username", "constraints": {"required": true, "unique": true}},
                 {"name": "price", "type": "\(type)", "bareNumber": false, "groupChar": ",", "profiles": {"unit": "\(unit)"}}]}
                """)
        do throws(ValidationFailure) {
            let draft = ProfileDraft(["username": "ann", "price": text])
            return .success(try ProfileValidator(schema).validate(draft, on: .latest)["price"])
        } catch {
            return .failure(IssueText(text: error.issues.map { "\($0.code): \(schema.message(for: $0))" }))
        }
    }

    struct IssueText: Error, Equatable { let text: [String] }

    @Test(
        "S6: a number with another known unit than its field's is an issue that names both",
        arguments: [
            ("$", "€ 5", "€"), ("$", "5 EUR", "EUR"), ("$", "-€5", "€"), ("$", "€.50", "€"), ("$", "Fr. 5", "Fr."),
            ("€", "$5", "$"), ("kg", "5 lb", "lb"), ("kg", "5g", "g"), ("kg", "5 kg/m³", "kg/m³"), ("%", "5 ‰", "‰"),
            ("$", "5K", "K"), ("pieces", "5 kg", "kg"), ("$", "$5 €", "€"), ("€", "5\u{A0}$", "$"),
        ])
    func otherUnit(unit: String, text: String, found: String) throws {
        for type in ["number", "integer"] where type == "number" || !text.contains(".5") {
            let message = "bad_format: Price should be in \(unit), and the value is in \(found)"
            #expect(try stored(text, unit: unit, type: type) == .failure(IssueText(text: [message])))
        }
    }

    @Test(
        "S6: a number with its field's unit, with no unit or with an unknown text is accepted",
        arguments: [
            ("$", "$5", "5"), ("$", "5", "5"), ("$", "-$1,234", "-1234"), ("$", "$.50", "0.5"), ("€", "5 EUR", "5"),
            ("lb", "5 lbs", "5"), ("kr", "5 kr.", "5"), ("kg", "5 net", "5"), ("kg", "No. 5", "5"),
            ("pieces", "5 pieces", "5"),
            ("Fr.", "Fr. 5", "5"), ("€", "5\u{202F}€", "5"),
        ])
    func sameUnit(unit: String, text: String, number: String) throws {
        #expect(try stored(text, unit: unit) == .success(number))
    }
}
