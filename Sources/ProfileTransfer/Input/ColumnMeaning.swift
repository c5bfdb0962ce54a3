/// What a column's name says that its values mean: the token of HTML's `autocomplete` that a form's auto-fill goes by.
package struct ColumnMeaning: Hashable, Sendable {
    package let contentType: String

    /// Digits here are no number to reckon with, and may begin with zeros in the next file.
    package var isText: Bool { ["tel", "postal-code", "name", "given-name", "family-name"].contains(contentType) }

    /// Of people and places there are always more than the ones in a file.
    package var isOpen: Bool {
        !["sex", "country", "country-name", "honorific-prefix", "language"].contains(contentType)
    }

    /// Nil for a name that says nothing known.
    init?(_ words: [String]) {
        // `phone_2` and `phone number` are phones.
        let words = words.filter { !["number", "no", "nr", "1", "2", "3"].contains($0) }
        let whole = words.joined()
        guard let last = words.last else { return nil }
        let pair = words.suffix(2).joined()
        guard let found = Self.names[whole] ?? Self.endings[pair] ?? Self.endings[last] else { return nil }
        contentType = found
    }

    /// What a name ends in says what it is: a `work_phone` is a phone.
    private static let endings = tokens([
        ("tel", "phone telephone tel mobile cell cellphone telefon handy mobil telefono telefone telephonenumber"),
        ("email", "email mail emailaddress courriel correo epost"),
        ("postal-code", "zip zipcode postcode postalcode plz postleitzahl codepostal codigopostal cap cep"),
        ("url", "url website homepage webseite siteweb link"),
        ("bday", "birthday birthdate dateofbirth dob geburtstag geburtsdatum datenaissance fechanacimiento"),
        ("given-name", "firstname givenname forename vorname prenom"),
        ("family-name", "lastname familyname surname nachname familienname apellido apellidos cognome achternaam"),
    ])

    /// What says it only as the whole name: a `file_name` is nobody's, and an `ip_address` no street.
    private static let names = tokens([
        ("name", "name fullname displayname nomcomplet nombrecompleto"),
        ("given-name", "first given nombre voornaam"),
        ("additional-name", "middlename middle secondname"),
        ("family-name", "last nom"),
        ("nickname", "nickname nick spitzname"),
        ("honorific-prefix", "title salutation anrede titel prefix"),
        ("honorific-suffix", "suffix"),
        ("username", "username user login benutzername"),
        ("street-address", "address streetaddress street strasse adresse direccion indirizzo"),
        ("address-line1", "address1 addressline1"),
        ("address-line2", "address2 addressline2"),
        ("address-level2", "city town ort stadt ville ciudad citta plaats"),
        ("address-level1", "state province region bundesland provincia"),
        ("country-name", "country land pays pais nation"),
        ("country", "countrycode"),
        ("sex", "sex gender geschlecht sexe sexo"),
        ("organization", "organization organisation company firma employer entreprise empresa"),
        ("organization-title", "jobtitle position job role beruf"),
        ("language", "language sprache langue"),
    ])

    private static func tokens(_ table: [(token: String, names: String)]) -> [String: String] {
        var tokens: [String: String] = [:]
        for (token, names) in table {
            for name in names.split(separator: " ") { tokens[String(name)] = token }
        }
        return tokens
    }
}
