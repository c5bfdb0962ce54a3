/// The meaning of a column's values, derived from the column's name. The meaning is a token of the HTML attribute
/// `autocomplete`. Browsers use this attribute to fill in forms.
package struct ColumnMeaning: Hashable, Sendable {
    package let contentType: String

    /// Whether values that consist of digits are text, and not numbers. The reason: values in a later file may have
    /// leading zeros.
    package var isText: Bool { ["tel", "postal-code", "name", "given-name", "family-name"].contains(contentType) }

    /// Whether the column can always receive new values, for example new names and places. If false, the values come
    /// from a small fixed set.
    package var isOpen: Bool {
        !["sex", "country", "country-name", "honorific-prefix", "language"].contains(contentType)
    }

    /// Determines the meaning of a column from the words of its name. The result is nil if the name is unknown.
    init?(_ words: [String]) {
        let whole = words.joined()
        // A number in the name is ignored: `phone_2` and `phone number` contain phone numbers. But the name with the
        // number is looked up first, because `address_2` is the second line of an address.
        let words = words.filter { !["number", "no", "nr", "1", "2", "3"].contains($0) }
        guard let last = words.last else { return nil }
        let pair = words.suffix(2).joined()
        guard let found = Self.names[whole] ?? Self.names[words.joined()] ?? Self.endings[pair] ?? Self.endings[last]
        else { return nil }
        contentType = found
    }

    /// Names that are recognized at the end of a longer name: a `work_phone` is a phone.
    private static let endings = tokens([
        ("tel", "phone telephone tel mobile cell cellphone telefon handy mobil telefono telefone telephonenumber"),
        ("email", "email mail emailaddress courriel correo epost"),
        ("postal-code", "zip zipcode postcode postalcode plz postleitzahl codepostal codigopostal cap cep"),
        ("url", "url website homepage webseite siteweb link"),
        ("bday", "birthday birthdate dateofbirth dob geburtstag geburtsdatum datenaissance fechanacimiento"),
        ("given-name", "firstname givenname forename vorname prenom"),
        ("family-name", "lastname familyname surname nachname familienname apellido apellidos cognome achternaam"),
    ])

    /// Names that are recognized only if they are the whole column name. For example, a `file_name` is not the name of
    /// a person, and an `ip_address` is not a street address.
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
