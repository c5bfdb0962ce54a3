extension ProfileSchema {
    /// The schema as a Table Schema document: what a schema file says, in one fixed order and without defaults, so that
    /// two files with the same rules give the same text.
    ///
    /// - Parameter indented: For people to read; the form on one line is what fingerprints are taken of.
    /// - Returns: JSON, as `init(parsing:)` reads it.
    public func document(indented: Bool = false) -> String {
        let value: JSONValue = ["name": .string(name), "fields": .array(fields.map(\.document))]
        return value.text(indented: indented)
    }
}

extension FieldRules {
    fileprivate var document: JSONValue {
        var members = [
            JSONMember("name", .string(name.text)), JSONMember("title", .string(title)),
            JSONMember("type", .string(type.rawValue)),
        ]
        if let constraints { members.append(JSONMember("constraints", constraints)) }
        if let extensions { members.append(JSONMember("profiles", extensions)) }
        return .object(members)
    }

    private var constraints: JSONValue? {
        var members: [JSONMember] = []
        if isRequired { members.append(JSONMember("required", true)) }
        if isUnique { members.append(JSONMember("unique", true)) }
        if let minimumLength { members.append(JSONMember("minLength", .number(minimumLength))) }
        if let maximumLength { members.append(JSONMember("maxLength", .number(maximumLength))) }
        if let minimum { members.append(JSONMember("minimum", minimum.document)) }
        if let maximum { members.append(JSONMember("maximum", maximum.document)) }
        if let pattern { members.append(JSONMember("pattern", .string(pattern.text))) }
        if !allowedValues.isEmpty {
            members.append(JSONMember("enum", .array(allowedValues.map { JSONValue.string(typedForm(of: $0)) })))
        }
        return members.isEmpty ? nil : .object(members)
    }

    private var extensions: JSONValue? {
        var members: [JSONMember] = []
        if isSecret { members.append(JSONMember("secret", true)) }
        if let mask { members.append(JSONMember("mask", .string(mask.pattern))) }
        if let characters {
            members.append(JSONMember("characters", .array(characters.map { .string($0.text) })))
        }
        if !requirements.isEmpty {
            members.append(JSONMember("requires", .array(requirements.map { .string($0.rawValue) })))
        }
        if type == .date, formats != [.iso] {
            members.append(JSONMember("formats", .array(formats.map { .string($0.pattern) })))
        }
        if let contentType { members.append(JSONMember("contentType", .string(contentType))) }
        if !messages.isEmpty {
            let sorted = messages.sorted { $0.key.rawValue < $1.key.rawValue }
            members.append(
                JSONMember("message", .object(sorted.map { JSONMember($0.key.rawValue, .string($0.value)) })))
        }
        return members.isEmpty ? nil : .object(members)
    }
}

extension Bound {
    fileprivate var document: JSONValue {
        switch self {
        case .integer, .number: .number(description)
        case .day, .today: .string(description)
        }
    }
}
