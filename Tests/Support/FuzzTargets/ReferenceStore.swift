internal import ProfileCore
internal import ProfileStore
internal import ProfileTransfer

/// A row as the reference reads it from a file.
struct ReferenceRow {
    /// The first physical line, from 1.
    let line: Int
    /// The number of the row, from 1.
    let number: Int
    /// The texts of the fields that the file has, or nil if the row cannot be read.
    var cells: [String: String]?
    /// The codes of issues of the whole row.
    var codes: [String] = []
}

/// Profiles as dictionaries, and the expected outcome of importing rows into them. The store handles one row after
/// another, in the plainest way.
struct ReferenceStore {
    /// The bytes of a text. `String` is not used, because it compares texts by canonical equivalence.
    typealias Bytes = [UInt8]
    typealias Values = [String: Bytes]

    /// The profiles that a used store has at first.
    static let used: [[String: String]] = [
        ["username": "ann", "email": "a@x", "level": "1", "note": "p"],
        ["username": "Bob", "email": "b@x", "joined": "2020-02-29"],
    ]

    /// The profiles by the key without regard to ASCII case.
    private(set) var profiles: [Bytes: Values] = [:]
    private(set) var imported = 0
    private(set) var updated = 0
    private(set) var skipped = 0
    /// The rejected rows, and the codes of their issues if the reference knows them.
    private(set) var rejected: [(row: ReferenceRow, codes: [String]?)] = []

    private let validator: ProfileValidator

    init(_ profiles: [Bytes: Values], _ schema: ProfileSchema) {
        self.profiles = profiles
        validator = ProfileValidator(schema)
    }

    var outcomes: [Int] { [imported, updated, skipped, rejected.count] }

    mutating func take(_ rows: [ReferenceRow], _ policy: ImportOptions.DuplicatePolicy) throws(Contradiction) {
        var keys: Set<Bytes> = []
        var emails: Set<Bytes> = []
        for row in rows {
            guard let cells = row.cells, row.codes.isEmpty else {
                rejected.append((row, row.cells == nil ? row.codes : nil))
                continue
            }
            let own: Values
            switch try judge(cells) {
            case .success(let values): own = values
            case .failure(let failure):
                // With the policy `update`, the import can reject the row as a duplicate instead of as invalid.
                rejected.append((row, policy == .update ? nil : failure.issues.map(\.code.rawValue)))
                continue
            }
            let key = Self.folded(own["username"] ?? [])
            let email = own["email"]
            let stored = profiles[key]
            let owner = email.flatMap { email in profiles.first { $0.value["email"] == email }?.key }

            func remember(_ values: Values) {
                keys.insert(key)
                if let email = values["email"] { emails.insert(email) }
            }
            if keys.contains(key) || email.map(emails.contains) ?? false {
                rejected.append((row, nil))
            } else if stored == nil, owner == nil {
                profiles[key] = own
                imported += 1
                remember(own)
            } else if stored != nil, policy == .skip {
                skipped += 1
                remember(own)
            } else if let stored, policy == .update, owner == nil || owner == key {
                var merged = stored
                for name in cells.keys { merged[name] = own[name] }
                if merged == stored {
                    skipped += 1
                } else {
                    profiles[key] = merged
                    updated += 1
                }
                remember(merged)
            } else {
                rejected.append((row, ["duplicate"]))
            }
        }
    }

    /// Validates one row with the schema's validator, which has its own tests. Requires that the validator only trims
    /// values and normalizes numbers.
    private func judge(_ cells: [String: String]) throws(Contradiction) -> Result<Values, ValidationFailure> {
        let valid: ValidProfile
        do throws(ValidationFailure) {
            valid = try validator.validate(ProfileDraft(cells), on: ImportChoices.today)
        } catch {
            return .failure(error)
        }
        var values: Values = [:]
        for (name, cell) in cells {
            // A password is not trimmed.
            let bytes = name == "password" ? Bytes(cell.utf8) : Self.trimmed(Bytes(cell.utf8))
            guard !bytes.isEmpty else { continue }
            switch name {
            case "password", ProfileDraft.hashName: values["password"] = Self.somePassword
            default: values[name] = name == "level" ? Self.integer(bytes) : bytes
            }
        }
        for field in validator.schema.fields where !field.isSecret {
            let judged = valid[field.name].map { Bytes($0.utf8) }
            try require(judged == values[field.name.text], "\(field.name.text) of \(cells) becomes \(judged ?? [])")
        }
        return .success(values)
    }

    /// Returns a decimal number without a plus sign and leading zeros.
    private static func integer(_ text: Bytes) -> Bytes {
        Int(String(decoding: text, as: UTF8.self)).map { Bytes("\($0)".utf8) } ?? text
    }

    /// Stands for any password, because the store tells only that there is one.
    static let somePassword = Bytes("a password".utf8)

    static func trimmed(_ bytes: Bytes) -> Bytes {
        let isSpace: (UInt8) -> Bool = { $0 == 0x20 || (0x09...0x0D).contains($0) }
        return Bytes(bytes.drop(while: isSpace).reversed().drop(while: isSpace).reversed())
    }

    static func folded(_ bytes: Bytes) -> Bytes { bytes.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 } }
}

extension ProfileRepository {
    /// All profiles in the form of the reference.
    func referenceProfiles() async throws -> [ReferenceStore.Bytes: ReferenceStore.Values] {
        var profiles: [ReferenceStore.Bytes: ReferenceStore.Values] = [:]
        for try await profile in all(ProfileQuery(limit: 1_000)) {
            var values: ReferenceStore.Values = [:]
            for field in profile.fields { values[field.rules.name.text] = field.value.map { Array($0.utf8) } }
            if profile.hasPassword { values["password"] = ReferenceStore.somePassword }
            let key = ReferenceStore.folded(Array(profile.username.utf8))
            try require(profiles.updateValue(values, forKey: key) == nil, "\(profile.username) is stored twice")
        }
        return profiles
    }
}
