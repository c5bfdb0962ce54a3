import Testing
import Watchdog

@testable import ProfileCore

/// Values whose text beside the number is not the unit of their field.
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
        "S6: a number whose text is not the unit of its field is an issue that names both texts",
        arguments: [
            ("$", "€ 5", "€"), ("$", "5 EUR", "EUR"), ("$", "-€5", "€"), ("$", "€.50", "€"), ("$", "Fr. 5", "Fr."),
            ("€", "$5", "$"), ("kg", "5 lb", "lb"), ("kg", "5g", "g"), ("kg", "5 kg/m³", "kg/m³"), ("%", "5 ‰", "‰"),
            ("$", "5K", "K"), ("pieces", "5 kg", "kg"), ("$", "$5 €", "€"), ("€", "5\u{A0}$", "$"),
            ("$", "€ .50", "€"), ("$", "€-.50", "€"), ("$", "$5 USD", "USD"), ("USD", "USD.50", "USD."),
            ("%", "4 Promille", "Promille"), ("kg", "2 Pfund", "Pfund"), ("kg", "< 3 kg", "<"), ("kg", "5 net", "net"),
            ("kg", "No. 5", "No."), ("kg", "5 kg net", "kg net"), ("$", "+$-5", "$-"), ("$", "5.5.", "."),
            ("kg", "5 Kg", "Kg"),
            ("kg", "5 " + String(repeating: "x", count: 70), String(repeating: "x", count: 64) + "…"),
        ])
    func otherUnit(unit: String, text: String, found: String) throws {
        for type in ["number", "integer"] where type == "number" || !text.contains(".5") {
            let message = "bad_format: Price should be in \(unit), and the value has \"\(found)\""
            #expect(try stored(text, unit: unit, type: type) == .failure(IssueText(text: [message])))
        }
    }

    @Test(
        "S6: a number with its field's unit, with another name of it or with no unit is accepted",
        arguments: [
            ("$", "$5", "5"), ("$", "5", "5"), ("$", "-$1,234", "-1234"), ("$", "$.50", "0.5"), ("€", "5 EUR", "5"),
            ("lb", "5 lbs", "5"), ("kr", "5 kr.", "5"), ("pieces", "5 pieces", "5"), (" kg ", "5kg", "5"),
            ("$", "$-.50", "-0.5"), ("$", "-.50", "-0.5"), ("$", "-5", "-5"), ("$", "+$5", "5"), ("$", "$+5", "5"),
            ("€", "€ 5 EUR", "5"), ("kr", "kr.50", "50"), ("kg", "5\u{2009}kg", "5"), ("", "5 kg", "5"),
            ("Fr.", "Fr. 5", "5"), ("€", "5\u{202F}€", "5"),
        ])
    func sameUnit(unit: String, text: String, number: String) throws {
        #expect(try stored(text, unit: unit) == .success(number))
    }
}
