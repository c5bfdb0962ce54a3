/// The values of a profile by field name. A person typed them, or a client sent them. They are not validated.
///
/// ``ProfileValidator`` converts a valid draft to a ``ValidProfile``. If the draft is invalid, the validator reports
/// all issues.
public struct ProfileDraft: Sendable {
    /// The values of all fields except the password, in the order in which they were set. An array, because comparing a
    /// few names takes less time than computing the hash value of a name.
    private var members: [(name: String, value: DraftValue)] = []
    /// The names whose members are null in the JSON that was read. A merge clears the fields with these names.
    package private(set) var clearedNames: Set<String> = []
    /// The typed password.
    public var password: Secret?
    /// A password hash that the draft has instead of a typed password; see ``PasswordHash``.
    public var passwordHash: String?
    /// The key and the values of the stored profile that the draft edits. If the values of other fields form the
    /// primary key, validation keeps the stored key until an edit changes one of the values that form it.
    package var stored: StoredKey?

    /// The primary key of a stored profile, and the values of the profile by field name.
    package struct StoredKey: Sendable {
        package let key: String
        package let values: [String: DraftValue]

        package init(_ key: String, values: [String: DraftValue]) {
            self.key = key
            self.values = values
        }
    }

    /// Makes a draft without values.
    public init() {}

    /// Makes a draft from the stored values of a profile.
    ///
    /// - Parameters:
    ///   - values: The values in the order of the names.
    ///   - names: The names of the fields. Each name occurs once, and none is secret.
    package init(stored values: [String?], named names: [FieldName]) {
        members.reserveCapacity(values.count)
        for (index, value) in values.enumerated() {
            if let value { members.append((names[index].text, DraftValue(canonical: value))) }
        }
    }

    /// Makes a draft from typed texts. The key of each text is the name of its field. The subscript of this type
    /// describes the meaning of `password` and `password_hash`.
    public init(_ values: [String: String]) {
        for (name, value) in values { self[name] = value }
    }

    /// Makes a draft from typed texts. The key of each text is the name of its field.
    public init(_ values: [FieldName: String]) {
        for (name, value) in values { self[name] = value }
    }

    /// The values of all fields except the password, by field name.
    public var values: [String: DraftValue] { Dictionary(members.map { ($0.name, $0.value) }) { $1 } }

    /// The number of values.
    var count: Int { members.count }

    /// Returns the value of a field. The search starts at `position`. If it finds the value, it moves `position` behind
    /// the value. So reading all fields in the order of the draft takes one comparison for each field.
    func value(of name: String, after position: inout Int) -> DraftValue? {
        guard let found = index(of: name, from: position) else { return nil }
        position = found + 1
        return members[found].value
    }

    private func index(of name: String, from start: Int = 0) -> Int? {
        members[start...].firstIndex { $0.name == name } ?? members[..<start].firstIndex { $0.name == name }
    }

    /// The value of a field; see the subscript with a string.
    public subscript(name: FieldName) -> DraftValue? {
        get { self[name.text] }
        set { self[name.text] = newValue }
    }

    /// The value of a field. For the name `password`, the setter stores the text as a ``Secret``, and the getter
    /// returns nil. The name `password_hash` refers to a hash that the draft has instead of a typed password.
    public subscript(name: String) -> DraftValue? {
        get {
            if name == Self.hashName { return passwordHash.map(DraftValue.init(_:)) }
            return index(of: name).map { members[$0].value }
        }
        set {
            switch name {
            case FieldName.password.text: password = newValue.map { Secret($0.text) }
            case Self.hashName: passwordHash = newValue?.text
            default: set(newValue, of: name)
            }
        }
    }

    private mutating func set(_ value: DraftValue?, of name: String) {
        switch (index(of: name), value) {
        case (let index?, let value?): members[index].value = value
        case (let index?, nil): members.remove(at: index)
        case (nil, let value?): members.append((name, value))
        case (nil, nil): break
        }
        clearedNames.remove(name)
    }

    /// Sets the value of a field to typed text. This subscript is write-only, because a `String` does not contain the
    /// notation of the value. To read the text, use ``DraftValue/text`` of the value.
    @_disfavoredOverload
    public subscript(name: FieldName) -> String? {
        @available(*, unavailable, message: "Read the text of the value: draft[name]?.text")
        get { self[name.text]?.text }
        set { self[name.text] = newValue }
    }

    /// Sets the value of a field to typed text. This subscript is write-only, because a `String` does not contain the
    /// notation of the value. To read the text, use ``DraftValue/text`` of the value.
    @_disfavoredOverload
    public subscript(name: String) -> String? {
        @available(*, unavailable, message: "Read the text of the value: draft[name]?.text")
        get { self[name]?.text }
        set { self[name] = newValue.map(DraftValue.init(_:)) }
    }

    /// Copies the values of another draft into this draft, for example to apply an update request. If the other draft
    /// has a password or a hash, it replaces the password and the hash of this draft. If the other draft does not have
    /// a field, the field keeps its value. If the other draft was read from JSON in which the field is null, the field is
    /// cleared.
    public mutating func merge(_ changes: ProfileDraft) {
        for name in changes.clearedNames { clear(name) }
        for (name, value) in changes.members { set(value, of: name) }
        if changes.password != nil || changes.passwordHash != nil {
            password = changes.password
            passwordHash = changes.passwordHash
        }
    }

    /// Clears a field. The validator reports the name if the schema has no such field.
    private mutating func clear(_ name: String) {
        self[name] = nil
        clearedNames.insert(name)
    }

    /// The name under which drafts, files and requests contain a password hash.
    public static let hashName = "password_hash"
}

extension ProfileDraft: JSONDecodable {
    /// Reads an object that contains values by field name. A JSON string has the notation of the field. A JSON number or
    /// boolean has the notation of JSON. Null means "no value". The subscript of this type describes the meaning of
    /// `password` and `password_hash`.
    ///
    /// A name that is not in the schema is not an error here: the validator reports it with the other issues. The memory
    /// of the JSON value may contain the password, and this memory is not zeroed. If this matters, set the password as a
    /// ``Secret`` instead.
    /// - Throws: An error if the value is not an object, or if a member is an array or an object. The error contains no
    ///   value.
    @_disfavoredOverload
    public init(_ json: JSONValue) throws(JSONMemberError) {
        self.init()
        guard case .object(let members) = json else {
            throw JSONMemberError(.wrongType(json.kind, expected: [.object]))
        }
        for member in members {
            switch member.value {
            case .array, .object:
                let reason = JSONMemberError.Reason.wrongType(
                    member.value.kind, expected: [.string, .number, .boolean, .null])
                throw JSONMemberError(reason, at: member.name)
            case .null: clear(member.name)
            case .string, .number, .bool: self[member.name] = DraftValue(member.value)
            }
        }
    }

    /// Applies a merge patch (RFC 7396): each member replaces the value of its field, and null clears the field. A field
    /// without a member keeps its value.
    ///
    /// ```swift
    /// let profile = try await repository.edit("ann", expecting: revision) { try $0.merge(patch) }
    /// ```
    /// - Parameter patch: An object like the one that ``init(_:)-(JSONValue)`` reads.
    /// - Throws: An error as from ``init(_:)-(JSONValue)``, or `notClearable` if the password or its hash is null. If
    ///   the method throws an error, the draft is unchanged.
    public mutating func merge(_ patch: JSONValue) throws(JSONMemberError) {
        let changes = try ProfileDraft(patch)
        for name in [FieldName.password.text, Self.hashName] where changes.clearedNames.contains(name) {
            throw JSONMemberError(.notClearable, at: name)
        }
        merge(changes)
    }
}
